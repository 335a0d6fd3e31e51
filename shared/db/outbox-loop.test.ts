import { expect } from "chai";
import { Loop } from "./outbox-loop.ts";

describe("loop of the outbox", () => {
  const hourMs = 3_600_000;
  const turn = () => new Promise<void>(setImmediate);

  /** A loop whose steps end when told to, and that then rests for an hour. */
  function loopOf(steps: readonly boolean[]) {
    const begun: PromiseWithResolvers<boolean>[] = [];
    const loop = new Loop(
      () => {
        const step = Promise.withResolvers<boolean>();
        begun.push(step);
        return step.promise;
      },
      { factor: Number.POSITIVE_INFINITY, maxMs: hourMs },
    );
    const end = async () => {
      const last = begun.length - 1;
      begun[last]!.resolve(steps[last]!);
      await turn();
    };
    return { loop, begun, end };
  }

  it("goes on at once while there is more, then rests until it is hurried", async () => {
    const { loop, begun, end } = loopOf([true, false, false]);
    loop.wake();
    await turn();
    await end();
    expect(begun).to.have.length(2);

    await end();
    loop.wake();
    await turn();
    expect(begun).to.have.length(2);
    loop.wake(true);
    await turn();
    expect(begun).to.have.length(3);
    await end();
    await loop.stop();
  });

  it("stops without the rest, and begins no other step", async () => {
    const { loop, begun, end } = loopOf([false]);
    loop.wake();
    await turn();
    await end();
    loop.wake();
    await loop.stop();
    expect(begun).to.have.length(1);
  });
});
