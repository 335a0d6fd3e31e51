import { expect } from "chai";
import { untilDone } from "./until-done.ts";

describe("a task that must succeed", () => {
  it("is tried until it is, also when the pauses are used up", async () => {
    const failures: unknown[] = [];
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries <= 5) throw new Error(`no ${tries}`);
    };
    // Its own pauses do not keep this process alive.
    const awake = setInterval(() => {}, 1000);
    await untilDone(work, { pausesMs: [1, 2], onFailure: (error) => failures.push(String(error)) });
    clearInterval(awake);
    expect(tries).to.equal(6);
    expect(failures).to.deep.equal([1, 2, 3, 4, 5].map((count) => `Error: no ${count}`));
  });
});
