import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { type Relay, startRelay } from "./outbox-relay.ts";
import { query } from "./query.ts";
import { inTransaction } from "./transaction.ts";

const count = 100;

/** Publishes events for one target, and in the middle of them one of another topic. */
const publishAll = (target: string) =>
  inTransaction(async (tx) => {
    const read = (n: number) => ({ conversation_id: `${n}`, reader_id: target, peer_id: null, read_at: "" });
    const all = Array.from({ length: count }, (_none, n) => read(n));
    await tx.publishAll("dm.read", all.slice(0, count / 2));
    await tx.publish("user.suspended", { user_id: target });
    await tx.publishAll("dm.read", all.slice(count / 2));
  });

describe("batches of pushes", () => {
  useDatabase();
  let relay: Relay | undefined;
  /** What each call pushed: numbers of events, or a topic. */
  let calls: (readonly number[] | string)[] = [];
  let refused: (numbers: readonly number[]) => boolean = () => false;

  function pushRead(payloads: readonly { readonly conversation_id: string }[]): Promise<void> {
    const numbers = payloads.map(({ conversation_id }) => Number(conversation_id));
    if (refused(numbers)) return Promise.reject(new Error("poison"));
    calls.push(numbers);
    return Promise.resolve();
  }
  const start = (target: string): void => {
    relay = startRelay({
      routeOf: () => ({ recordFor: undefined, pushTo: [target] }),
      record: async () => {},
      push: async ({ topic, payload }) => (topic === "dm.read" ? pushRead([payload]) : void calls.push(topic)),
      pushBatch: (topic) => (topic === "dm.read" ? pushRead : undefined),
    });
  };
  const numbers = () => calls.filter((call) => typeof call !== "string").flat();
  beforeEach(() => {
    calls = [];
    refused = () => false;
  });
  afterEach(async () => {
    await relay?.stop();
    await query("DELETE FROM outbox_deliveries");
  });

  it("keep the order, take at most four, and none of another topic", async () => {
    const target = newId();
    await publishAll(target);
    start(target);
    await until("all are pushed", () => calls.includes("user.suspended") && numbers().length === count);

    expect(numbers()).to.deep.equal(Array.from({ length: count }, (_none, n) => n));
    const before = calls.slice(0, calls.indexOf("user.suspended"));
    expect(before.flat()).to.have.lengthOf(count / 2);
    expect(Math.max(...calls.map((call) => call.length * Number(typeof call !== "string")))).to.equal(4);
  });

  it("are repeated one by one after a failure, so that only its cause waits", async () => {
    const target = newId();
    refused = (all) => all.includes(20);
    await publishAll(target);
    start(target);
    await until("the others are pushed", async () => {
      await query("UPDATE outbox_deliveries SET next_at = now() WHERE next_at > now()");
      return numbers().length === count - 1;
    });

    const others = Array.from({ length: count }, (_none, n) => n).filter((n) => n !== 20);
    expect(numbers().toSorted((a, b) => a - b)).to.deep.equal(others);
    refused = () => false;
    await until("the last is pushed", async () => {
      await query("UPDATE outbox_deliveries SET next_at = now() WHERE next_at > now()");
      return numbers().length === count;
    });
    expect(numbers().at(-1)).to.equal(20);
  });
});
