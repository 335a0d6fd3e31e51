import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { switchOffExtension } from "#shared/extension/hooks.ts";
import { blockedMaxMs } from "#shared/extension/watched.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Watching } from "./watch-thread.ts";

const beatMs = 100;

/**
 * Finds extensions that block the process where no part of them is timed: after they have waited for something. A
 * thread sees that the event loop stands still, and whose code runs. `folders`: those of the extensions, by name.
 * Returns a function that ends it.
 */
export function startWatchdog(folders: Readonly<Record<string, string>>): () => Promise<void> {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const urls = Object.entries(folders).map(([name, folder]) => [name, pathToFileURL(`${folder}/`).href]);
  const workerData: Watching = { beats, blockedMs: blockedMaxMs, folders: Object.fromEntries(urls) };
  const thread = new Worker(new URL("watch-thread.ts", import.meta.url), { workerData });
  thread.unref();
  const beating = setInterval(() => Atomics.add(beats, 0, 1), beatMs);
  beating.unref();
  thread.on("message", switchOffExtension);
  thread.on("error", (error) => logger.error({ err: error }, "extensions that block the process aren't found"));
  return async () => {
    clearInterval(beating);
    await thread.terminate();
  };
}
