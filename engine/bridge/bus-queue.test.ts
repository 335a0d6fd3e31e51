import { expect } from "chai";
import { BusQueue } from "./bus-queue.ts";

/** Well within a rest, milliseconds: an attempt that a busy machine made longer shows nothing. */
const briefMs = 30;

describe("the queue of the bus", () => {
  /** Returns the batches that were sent at the end of each step, of the first attempt that was brief enough. */
  const batchesAfter = async (steps: readonly ((queue: BusQueue) => void)[]): Promise<string[][][]> => {
    for (;;) {
      const batches: string[][] = [];
      const queue = new BusQueue(async (_number, args) => {
        batches.push([...args]);
        return true;
      });
      queue.add(["first"]);
      await queue.drained();
      const startedMs = performance.now();
      const seen: string[][][] = [];
      for (const step of steps) {
        step(queue);
        for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
        seen.push(batches.slice(1));
      }
      const isBrief = performance.now() - startedMs < briefMs;
      await queue.drained();
      if (isBrief) return [...seen, batches.slice(1)];
    }
  };
  const rest = (name: string) => (queue: BusQueue) => queue.add([name], true);

  it("keeps what may rest for the next batch, and sends what may not at once, with what rests", async () => {
    const seen = await batchesAfter([rest("one"), rest("two"), (queue) => queue.add(["urgent"]), rest("three")]);
    const sent = [["one", "two", "urgent"]];
    expect(seen).to.deep.equal([[], [], sent, sent, [...sent, ["three"]]]);
  });

  it("sends claims at once, and messages of before with them", async () => {
    const seen = await batchesAfter([rest("one"), (queue) => void queue.addOwn(["claim"])]);
    expect(seen.slice(1)).to.deep.equal([[["claim", "one"]], [["claim", "one"]]]);
  });

  it("sends what rests by itself", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let batches = 0;
    const queue = new BusQueue(async () => {
      batches += 1;
      if (batches === 2) resolve();
      return true;
    });
    queue.add(["first"]);
    await queue.drained();
    queue.add(["resting"], true);
    await promise;
  });
});
