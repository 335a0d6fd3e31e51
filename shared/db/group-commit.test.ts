import { expect } from "chai";
import { GroupCommit } from "./group-commit.ts";

describe("group commit", () => {
  /** A store that writes when told to, and what it was given. */
  function slowStore() {
    const batches: number[][] = [];
    const releases: (() => void)[] = [];
    const commit = new GroupCommit<number, string>(async (rows) => {
      batches.push([...rows]);
      await new Promise<void>((resolve) => releases.push(resolve));
      return rows.map((row) => `stored ${row}`);
    });
    const release = async () => {
      releases.shift()!();
      await new Promise(setImmediate);
    };
    return { commit, batches, release };
  }

  it("writes the first row at once, and those that arrive meanwhile by one statement, in order", async () => {
    const { commit, batches, release } = slowStore();
    const outcomes = [1, 2, 3].map((row) => commit.add(row));
    expect(batches).to.deep.equal([[1]]);
    await release();
    expect(batches).to.deep.equal([[1], [2, 3]]);
    await release();
    expect(await Promise.all(outcomes)).to.deep.equal(["stored 1", "stored 2", "stored 3"]);
    void commit.add(4);
    expect(batches.at(-1)).to.deep.equal([4]);
  });

  it("limits a statement, and reports when too many rows wait", async () => {
    const { commit, batches, release } = slowStore();
    for (let row = 0; row < 5001; row++) {
      expect(commit.full).to.equal(false);
      void commit.add(row);
    }
    expect(commit.full).to.equal(true);
    await release();
    expect(batches.map(({ length }) => length)).to.deep.equal([1, 200]);
    expect(commit.full).to.equal(false);
  });

  it("stores the others when one row cannot be stored", async () => {
    const commit = new GroupCommit<number, number>(async (rows) => {
      if (rows.includes(2)) throw new Error("cannot be stored");
      return rows;
    });
    const settled = await Promise.allSettled([0, 1, 2, 3].map((row) => commit.add(row)));
    expect(settled.map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)))).to.deep.equal([
      0,
      1,
      "Error: cannot be stored",
      3,
    ]);
    expect(await commit.add(4)).to.equal(4);
  });
});
