import { expect } from "chai";
import { GroupCommit } from "./group-commit.ts";

describe("group commit", () => {
  /** A store that writes when told to, and what it was given. */
  function slowStore(options?: { atOnce: number; besideFrom?: number }) {
    const batches: number[][] = [];
    const releases: (() => void)[] = [];
    const commit = new GroupCommit<number, string>(async (rows) => {
      batches.push([...rows]);
      await new Promise<void>((resolve) => releases.push(resolve));
      return rows.map((row) => `stored ${row}`);
    }, options);
    const turn = async () => {
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    };
    const release = async () => {
      releases.shift()!();
      await turn();
    };
    return { commit, batches, release, turn };
  }

  it("writes the rows of a turn at once, and those that arrive meanwhile by one statement, in order", async () => {
    const { commit, batches, release, turn } = slowStore();
    const outcomes = [1, 2].map((row) => commit.add(row));
    await turn();
    expect(batches).to.deep.equal([[1, 2]]);
    outcomes.push(...[3, 4].map((row) => commit.add(row)));
    await release();
    expect(batches).to.deep.equal([
      [1, 2],
      [3, 4],
    ]);
    await release();
    expect(await Promise.all(outcomes)).to.deep.equal(["stored 1", "stored 2", "stored 3", "stored 4"]);
    void commit.add(5);
    await turn();
    expect(batches.at(-1)).to.deep.equal([5]);
  });

  it("writes as many batches side by side as it is told to", async () => {
    const { commit, batches, turn } = slowStore({ atOnce: 2 });
    for (const row of [1, 2, 3]) {
      void commit.add(row);
      await turn();
    }
    expect(batches).to.deep.equal([[1], [2]]);
  });

  it("begins a batch beside another only when enough rows wait, and leaves none behind", async () => {
    const { commit, batches, release, turn } = slowStore({ atOnce: 2, besideFrom: 2 });
    const add = async (row: number) => {
      void commit.add(row);
      await turn();
    };
    for (const row of [1, 2]) await add(row);
    expect(batches).to.deep.equal([[1]]);
    await add(3);
    expect(batches).to.deep.equal([[1], [2, 3]]);
    await add(4);
    await Promise.all([release(), release()]);
    expect(batches).to.deep.equal([[1], [2, 3], [4]]);
  });

  it("divides what waits among the batches that may begin, if each gets enough", async () => {
    const { commit, batches, release, turn } = slowStore({ atOnce: 2, besideFrom: 2 });
    for (const row of [1, 2, 3, 4, 5]) void commit.add(row);
    await turn();
    expect(batches).to.deep.equal([
      [1, 2, 3],
      [4, 5],
    ]);
    await Promise.all([release(), release()]);
    for (const row of [6, 7, 8]) void commit.add(row);
    await turn();
    expect(batches.slice(2)).to.deep.equal([[6, 7, 8]]);
  });

  it("begins a batch beside one that is held up", async () => {
    const { commit, batches, turn } = slowStore({ atOnce: 2, besideFrom: 10 });
    void commit.add(1);
    await turn();
    const { now } = performance;
    performance.now = () => now.call(performance) + 60;
    try {
      void commit.add(2);
      await turn();
    } finally {
      performance.now = now;
    }
    expect(batches).to.deep.equal([[1], [2]]);
  });

  it("limits a statement, and reports when too many rows wait", async () => {
    const { commit, batches, release, turn } = slowStore();
    for (let row = 0; row < 5000; row++) {
      expect(commit.full).to.equal(false);
      void commit.add(row);
    }
    expect(commit.full).to.equal(true);
    await turn();
    await release();
    expect(batches.map(({ length }) => length)).to.deep.equal([200, 200]);
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
