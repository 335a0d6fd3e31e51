import { execFile } from "node:child_process";
import { readFile, readlink, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { logger } from "#shared/kernel/logger.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";

/** What a PostgreSQL server writes about itself to `postmaster.pid` in its data folder. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

const lockFile = (data: string) => join(data, "postmaster.pid");

/** Reads the lock file of a data folder; undefined if there is none. The server that it names may be dead. */
async function readLock(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(lockFile(data), "utf8").catch(unlessAbsent);
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  return {
    pid: Number(lines[0]),
    port: Number(lines[3]),
    ready: ["ready", "standby"].includes(lines[7]?.trim() ?? ""),
  };
}

/** Returns the server running on a data folder, if any. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const lock = await readLock(data);
  return lock && (await isPostmasterOf(lock.pid, data)) ? lock : undefined;
}

/** Returns whether a process is this folder's PostgreSQL: after a crash its pid may be another program's. */
async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  try {
    if (process.platform !== "linux")
      return (await promisify(execFile)("ps", ["-p", `${pid}`, "-o", "comm="])).stdout.includes("postgres");
    if ((await readFile(`/proc/${pid}/comm`, "utf8")).trim() !== "postgres") return false;
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(data));
  } catch {
    return false; // There is no such process, or it is not ours to look at.
  }
}

/**
 * Frees a data folder for a new server: stops a server that outlived its service, and voids a stale lock. The lock file
 * stays, because PostgreSQL uses it to find children of a killed server that are still running. Only its pid, which may
 * be another program's by now, becomes ours, which PostgreSQL recognizes as its own parent's.
 */
export async function freeDataFolder(data: string): Promise<void> {
  const lock = await readLock(data);
  if (!lock) return;
  if (await isPostmasterOf(lock.pid, data)) {
    logger.warn({ pid: lock.pid }, "a database server was left behind; stopping it");
    await stopPostmaster(lock.pid, data);
    return;
  }
  const [, ...rest] = (await readFile(lockFile(data), "utf8")).split("\n");
  await writeFile(lockFile(data), [process.pid, ...rest].join("\n"));
}

/** Stops a server: ends its sessions, keeps what was committed. A fast shutdown first, then an immediate one. */
export async function stopPostmaster(pid: number, data: string): Promise<void> {
  const steps = [
    { signal: "SIGINT", waitMs: 8000 },
    { signal: "SIGQUIT", waitMs: 4000 },
  ] as const;
  for (const { signal, waitMs } of steps) {
    if (!(await isPostmasterOf(pid, data))) return;
    process.kill(pid, signal);
    if (await gone(pid, data, waitMs)) return;
  }
  throw new Error(`The database server (process ${pid}) did not exit.`);
}

async function gone(pid: number, data: string, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline) {
    if (!(await isPostmasterOf(pid, data))) return true;
    await pause(10);
  }
  return false;
}
