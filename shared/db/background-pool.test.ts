import { readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { expect } from "chai";
import { useDatabase } from "#shared/testing/database.ts";
import { query } from "./query.ts";
import { onBackgroundPool } from "./sequelize.ts";

describe("the connections of long work", () => {
  useDatabase();

  it("let calls go first, if the server is on this machine", async () => {
    const [ofWork, ofCalls] = await Promise.all([onBackgroundPool(prioritiesOfServer), prioritiesOfServer()]);
    for (const [at, priority] of ofWork.entries()) {
      expect(priority).to.equal(19);
      expect(ofCalls[at]).to.be.below(19);
    }
  });

  /** That of the process, and that of its group, if the kernel schedules sessions as groups. */
  async function prioritiesOfServer(): Promise<number[]> {
    const [server] = await query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const { pid } = server!;
    const group = await readFile(`/proc/${pid}/autogroup`, "utf8").catch(() => "");
    return [getPriority(pid), ...(group ? [Number(group.trim().split(" ").at(-1))] : [])];
  }
});
