import { logger } from "#shared/kernel/logger.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { letHeapGrow } from "./heap.ts";
import { letMainThreadGoFirst } from "./thread-priority.ts";

/** A running service. */
export interface Service {
  readonly url: string;
  /** The summary printed on startup. */
  readonly table: string;
  /** How long `stop` goes on serving before it stops anything, milliseconds. */
  readonly drainMs: number;
  /** Stops all parts, in reverse order of their start. */
  stop(): Promise<void>;
  /** The part that is being stopped. */
  stopping(): string | undefined;
}

/** Time from the signal, or the end of `drainMs`, until the process exits forcibly, milliseconds. */
const stopWithinMs = 14_000;

/** How often a service started by npm checks that npm is still running, milliseconds. */
const parentCheckMs = 1000;

/**
 * Runs a service in this process. On SIGTERM, SIGINT, or SIGHUP (the terminal was closed), shuts down gracefully with
 * exit code 0. On an uncaught error or `onLost`, shuts down gracefully with exit code 1. The process exits within 15 s
 * after `drainMs`. If the start fails, prints the reason to stderr and exits with code 1.
 */
export async function serve(start: (onLost: () => void) => Promise<Service>): Promise<void> {
  letHeapGrow();
  let starting: Promise<Service> | undefined;
  let ending = false;
  let drainMs = 0;
  let stopping: Service["stopping"] = () => "what has been started";
  const end = (exitCode: number): void => {
    if (ending) return;
    ending = true;
    const deadlineMs = drainMs + stopWithinMs;
    const late = () => exitHard(`shutdown took longer than ${deadlineMs / 1000} s: it still stops ${stopping()}`);
    setTimeout(late, deadlineMs).unref();
    // A failed start has cleaned up after itself.
    const stopped = starting?.catch(() => undefined).then((service) => service?.stop());
    Promise.resolve(stopped).then(
      () => {
        logger.info("stopped");
        process.exit(exitCode);
      },
      (error: unknown) => exitHard("graceful shutdown failed", error),
    );
  };
  const fail = (what: string, error?: unknown) => {
    logger.fatal({ err: error }, what);
    end(1);
  };
  process.on("uncaughtException", (error) => fail("uncaught exception", error));
  process.on("unhandledRejection", (error) => fail("unhandled rejection", error));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => {
      logger.info({ signal }, "shutting down");
      end(0);
    });
  whenNpmIsGone(() => {
    logger.warn("parent process npm has exited; shutting down");
    end(0);
  });
  starting = start(() => fail("the embedded database stopped unexpectedly"));
  try {
    const { table, url, ...service } = await starting;
    ({ drainMs, stopping } = service);
    if (ending) return;
    await letMainThreadGoFirst().catch((error: unknown) => logger.warn({ err: error }, "all threads are equal"));
    process.stdout.write(table);
    logger.info({ url }, "ready");
  } catch (error) {
    reportFailure(error);
    // Exit explicitly: timers of libraries outlive a failed start.
    if (!ending) process.exit(1);
  }
}

/** Calls `act` when npm has exited. A killed npm leaves its child running, and the service would go on unnoticed. */
function whenNpmIsGone(act: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    act();
  }, parentCheckMs).unref();
}

function exitHard(why: string, error?: unknown): void {
  logger.fatal({ err: error }, why);
  process.exit(1);
}

/**
 * Prints why a command failed: only the message of an error that the operator can fix, the stack of any other error.
 */
export function reportFailure(error: unknown): void {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (path && (code === "EACCES" || code === "EPERM"))
    console.error(
      `No permission to use ${path}. Run the service as the owner of the data folder, or set another DATA_DIR.`,
    );
  else console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
}
