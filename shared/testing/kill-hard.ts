import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findPostmaster } from "#shared/db/postmaster.ts";
import type { SpawnedService } from "./spawned-service.ts";

/**
 * Kills a service with an embedded database in `folder` (SIGKILL), together with the database server and all its processes.
 * Resolves when the service has exited.
 */
export async function killHard(service: SpawnedService, folder: string): Promise<void> {
  const server = await findPostmaster(join(folder, "postgres", "data"));
  const processes = [service.child.pid!, server!.pid, ...(await childrenOf(server!.pid))];
  for (const pid of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // A database process may have exited since it was listed.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
  await service.stop();
}

async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // The second field is the name in parentheses, the fourth is the parent.
    if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid) children.push(Number(name));
  }
  return children;
}
