import { readdir, readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { expect } from "chai";
import { letMainThreadGoFirst } from "./thread-priority.ts";

/** Returns the names of this process' threads that stand back behind the main thread. */
async function namesOfNice(): Promise<Set<string>> {
  const stats = await Promise.all(
    (await readdir("/proc/self/task")).map((id) => readFile(`/proc/self/task/${id}/stat`, "utf8")),
  );
  // `26 (libuv-worker) S …`: the name is field 2, and nice is field 19.
  const fields = stats.map((stat) => /\((?<name>.*)\) (?<rest>.*)/s.exec(stat)!.groups!);
  return new Set(fields.filter(({ rest }) => Number(rest!.split(" ")[16]) > getPriority()).map(({ name }) => name!));
}

describe("letMainThreadGoFirst", () => {
  it("lowers the priority of the threads that hash passwords, and of no others", async () => {
    await letMainThreadGoFirst();
    expect([...(await namesOfNice())]).to.deep.equal(process.platform === "linux" ? ["libuv-worker"] : []);
  });
});
