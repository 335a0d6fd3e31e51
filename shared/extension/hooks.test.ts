import { expect } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { until } from "#shared/testing/until.ts";
import { guarded, type HookPlan, hooksSwitchedOff, runAfter, runBefore, setHttpHooks } from "./hooks.ts";
import { blockedMaxMs, watched } from "./watched.ts";

const hooked = { name: "sendGift", caller: null, input: { quantity: 1 } };
const hook = (plan: Partial<HookPlan>) =>
  guarded({ name: "test before operation:sendGift", isOn: () => true, failure: "open", run: () => undefined, ...plan });

/** Runs hooks, and returns the input that the call would have. */
async function inputAfter(...hooks: ReturnType<typeof hook>[]): Promise<object> {
  let input: Record<string, unknown> = hooked.input;
  await runBefore(hooks, hooked, (changes) => {
    if ("wrong" in changes) throw new DomainError("VALIDATION_ERROR");
    input = { ...input, ...changes };
    return input;
  });
  return input;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    ({ code }: DomainError) => code,
  );

describe("hooks", () => {
  it("see what those before them have changed", async () => {
    const doubles = hook({ run: ({ input }) => ({ quantity: 2 * Number(input.quantity) }) });
    expect(await inputAfter(doubles, doubles)).to.deep.equal({ quantity: 4 });
  });

  it("refuse with an error of their own, which is no failure", async () => {
    const refuses = hook({ run: () => Promise.reject(new DomainError("CONFLICT")) });
    for (let time = 0; time < 7; time += 1) expect(await codeOf(inputAfter(refuses))).to.equal("CONFLICT");
  });

  it("that are open let calls through when they fail, and are left out after five failures", async () => {
    let runs = 0;
    const fails = hook({
      run: () => {
        runs += 1;
        throw new Error("no tea");
      },
    });
    for (let time = 0; time < 7; time += 1) expect(await inputAfter(fails)).to.deep.equal({ quantity: 1 });
    expect(runs).to.equal(5);
  });

  const failures: Record<string, Partial<HookPlan>> = {
    throw: { run: () => Promise.reject(new Error("no tea")) },
    "are too slow": { run: () => new Promise(() => undefined), deadlineMs: 1 },
    "answer no object": { run: () => 7 },
    "change the input to what isn't valid": { run: () => ({ wrong: true }) },
  };
  for (const [what, plan] of Object.entries(failures))
    it(`that are closed refuse calls when they ${what}, also once they are off`, async () => {
      const fails = hook({ ...plan, failure: "closed" });
      for (let time = 0; time < 7; time += 1) expect(await codeOf(inputAfter(fails))).to.equal("ENGINE_UNAVAILABLE");
    });

  it("that block the process are switched off until it starts again, and named", async () => {
    const block = () => {
      for (const end = performance.now() + blockedMaxMs + 20; performance.now() < end; );
    };
    const blocks = hook({
      name: "test before operation:blocked",
      failure: "closed",
      deadlineMs: 5000,
      run: async () => block(),
    });
    setHttpHooks([["before", "operation:blocked", blocks]]);
    expect(await inputAfter(blocks)).to.deep.equal({ quantity: 1 });
    expect(await codeOf(inputAfter(blocks))).to.equal("ENGINE_UNAVAILABLE");
    const route = watched("test route getTea", block);
    route();
    expect(route).to.throw(DomainError).with.property("code", "ENGINE_UNAVAILABLE");
    expect(hooksSwitchedOff()).to.include.members(["test before operation:blocked", "test route getTea"]);
    setHttpHooks([]);
  });

  it("of an extension that is off are passed over", async () => {
    expect(await inputAfter(hook({ isOn: () => false, failure: "closed", run: () => 7 }))).to.deep.equal({
      quantity: 1,
    });
  });

  it("after a call delay nothing, and at most 100 runs of one are under way", async () => {
    let runs = 0;
    const ends = Promise.withResolvers<void>();
    const waits = hook({
      run: () => {
        runs += 1;
        return ends.promise;
      },
      deadlineMs: 5000,
    });
    for (let time = 0; time < 150; time += 1) runAfter([waits], { ...hooked, result: {} });
    await until("they run", () => runs === 100);
    ends.resolve();
    await until("they have ended", () => waits.underWay === 0);
  });
});
