import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findPostmaster } from "#shared/db/postmaster.ts";
import type { SpawnedService } from "./spawned-service.ts";

/**
 * Kills a service with an embedded database in `folder` (SIGKILL), together with the database server and all its
 * processes. Resolves when the service has exited.
 */
export async function killHard(service: SpawnedService, folder: string): Promise<void> {
  process.kill(service.child.pid!, "SIGKILL");
  await signalPostgres(join(folder, "postgres"), "SIGKILL");
  await service.stop();
}

/** Sends a signal to all processes of the database server in this folder. */
export async function signalPostgres(folder: string, signal: NodeJS.Signals): Promise<void> {
  const server = await findPostmaster(join(folder, "data"));
  if (!server) return;
  for (const pid of [server.pid, ...(await childrenOf(server.pid))]) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // A process may have exited since it was listed.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Returns the IDs of the processes that a process has started. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // The second field is the name in parentheses, the fourth is the parent.
    if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid) children.push(Number(name));
  }
  return children;
}
