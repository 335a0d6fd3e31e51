import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { keepCurrent } from "./keep-current.ts";
import { startSignals, stopSignals } from "./signals.ts";
import { inTransaction } from "./transaction.ts";

/** A read that fails so often, and what it has read: null stands for everything. */
function useReads() {
  const reads: (string | null)[] = [];
  const state = { failures: 0, running: 0, atOnce: 0 };
  const read = keepCurrent("user.reactivated", async (changed) => {
    state.running += 1;
    state.atOnce = Math.max(state.atOnce, state.running);
    await new Promise((resolve) => setImmediate(resolve));
    state.running -= 1;
    if (state.failures > 0) {
      state.failures -= 1;
      throw new Error("no connection is free");
    }
    reads.push(changed?.user_id ?? null);
  });
  return { reads, state, read };
}

const signal = (user_id: string) => inTransaction((tx) => tx.signal("user.reactivated", { user_id }));

describe("keepCurrent", () => {
  useDatabase();
  const { reads, state, read } = useReads();
  before(async () => {
    // A service in this process may be listening, and does again afterwards.
    await stopSignals();
    reads.length = 0;
    await startSignals();
  });

  it("reads everything when signals begin, and what each signal is about", async () => {
    expect(reads).to.deep.equal([null]);
    const userId = newId();
    await signal(userId);
    await until("it is read", () => reads.includes(userId));
  });

  it("reads again what could not be read, without another signal", async () => {
    const userId = newId();
    state.failures = 2;
    await signal(userId);
    await until("it is read", () => reads.includes(userId));
    expect(state.failures).to.equal(0);
  });

  it("reads once at a time, in order, also when it is asked for", async () => {
    const ids = Array.from({ length: 5 }, newId);
    state.atOnce = 0;
    await Promise.all(ids.map((user_id) => read({ user_id })));
    expect(reads.slice(-5)).to.deep.equal(ids);
    expect(state.atOnce).to.equal(1);
    state.failures = 1;
    expect(await read().catch(({ message }: Error) => message)).to.equal("no connection is free");
  });
});
