import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { logger } from "#shared/kernel/logger.ts";
import type { Config } from "#shared/start/config.ts";
import { Bots } from "./bots.ts";

/**
 * Makes the demo world in the background, and lets its people act once it is there. The command `seed` makes it in a
 * process of its own, because its IDs say other times. If it is killed, the next start continues. Returns a function
 * that ends both.
 */
export function startDemoWorld({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">, url: string) {
  const bots = new Bots(url);
  const child = spawn(process.execPath, [process.argv[1]!, "seed"], {
    env: { ...process.env, DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (child.pid !== undefined) standBack(child.pid);
  const told = end(child).then((code) => {
    if (code === 0) return bots.start();
    logger.warn({ code }, "the demo world was not made");
  });
  told.catch((error: unknown) => logger.warn({ err: error }, "the demo people don't act"));
  return async () => {
    bots.stop();
    child.kill();
    await told.catch(() => undefined);
  };
}

/** Lets the service run first. */
function standBack(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It may have ended, or have the priority of its parent.
  }
}

async function end(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
