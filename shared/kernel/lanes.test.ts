import { expect } from "chai";
import type { DomainError } from "./domain-error.ts";
import { Lanes } from "./lanes.ts";

describe("lanes", () => {
  it("run so much at a time in each, in order, and reject what is too much", async () => {
    const lanes = new Lanes({ width: 2, waitingMax: 1 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const start = (key: string, name: string) =>
      lanes.run(key, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      });

    const running = ["a1", "a2", "a3", "b1"].map((name) => start(name[0]!, name));
    const failure = await start("a", "a4").catch((error: DomainError) => error.code);
    await new Promise(setImmediate);

    expect(failure).to.equal("ENGINE_UNAVAILABLE");
    expect(begun).to.deep.equal(["a1", "a2", "b1"]);
    for (let ended = 0; ended < 4; ended += 1) {
      ends[ended]!();
      await new Promise(setImmediate);
    }
    await Promise.all(running);
    expect(begun).to.deep.equal(["a1", "a2", "b1", "a3"]);
  });
});
