import { logger } from "#shared/kernel/logger.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";

/** A running service. */
export interface Service {
  readonly url: string;
  /** What the start prints. */
  readonly table: string;
  /** Ends it in order: what was started last ends first. */
  stop(): Promise<void>;
}

/** From the signal to the end of the process, milliseconds; what has not ended then is cut off. */
const stopWithinMs = 14_000;

/** How often a service that npm started looks whether npm is still there, milliseconds. */
const parentCheckMs = 1000;

/**
 * Runs a service as this process: until SIGTERM, SIGINT or SIGHUP (its terminal was closed), which end it in order with
 * exit code 0, or until it cannot go on (an error that nobody caught, or `onLost`), which ends it in order with exit code
 * 1. The process ends within 15 s. A start that fails ends it with exit code 1 and the reason on stderr.
 */
export async function serve(start: (onLost: () => void) => Promise<Service>): Promise<void> {
  let starting: Promise<Service> | undefined;
  let ending = false;
  const end = (exitCode: number): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => exitHard(`not ended within ${stopWithinMs / 1000} s`), stopWithinMs).unref();
    // A start that fails has cleared up after itself.
    const stopped = starting?.catch(() => undefined).then((service) => service?.stop());
    Promise.resolve(stopped).then(
      () => {
        logger.info("ended");
        process.exit(exitCode);
      },
      (error: unknown) => exitHard("could not end in order", error),
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
      logger.info({ signal }, "ending");
      end(0);
    });
  whenNpmIsGone(() => {
    logger.warn("npm, which started this, is gone; ending");
    end(0);
  });
  starting = start(() => fail("the embedded database ended by itself"));
  try {
    const { table, url } = await starting;
    if (ending) return;
    process.stdout.write(table);
    logger.info({ url }, "ready");
  } catch (error) {
    reportFailure(error);
    // Not by itself: timers of libraries outlive a start that failed half-way.
    if (!ending) process.exit(1);
  }
}

/** A killed npm takes no child with it: without this, a service that nobody sees would go on. */
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

/** Prints why a command failed, as whoever ran it needs it: a sentence for what he must mend, a stack for what is ours. */
export function reportFailure(error: unknown): void {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (path && (code === "EACCES" || code === "EPERM"))
    console.error(
      `No right to use ${path}. Run this as the user whom the data folder belongs to, or set another DATA_DIR.`,
    );
  else console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
}
