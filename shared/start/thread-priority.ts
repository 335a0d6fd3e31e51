import { readdir, readFile } from "node:fs/promises";
import { constants, getPriority, setPriority } from "node:os";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";

/**
 * How far the threads stand back behind the main thread: each gets a third of the time that the main thread gets on a
 * busy core.
 */
const nice = 5;

const poolThread = "libuv-worker\n";

/**
 * Lets the main thread run before the threads of Node.js' pool, most of whose time goes into hashing passwords. Linux
 * gives each thread its own priority; elsewhere, nothing changes.
 */
export async function letMainThreadGoFirst(): Promise<void> {
  const folder = "/proc/self/task";
  const threads = (await readdir(folder).catch(unlessAbsent)) ?? [];
  const names = await Promise.all(threads.map((id) => readFile(`${folder}/${id}/comm`, "utf8").catch(unlessAbsent)));
  const lowered = Math.min(getPriority() + nice, constants.priority.PRIORITY_LOW);
  for (const [at, id] of threads.entries()) if (names[at] === poolThread) setPriority(Number(id), lowered);
}
