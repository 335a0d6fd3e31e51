import { expect } from "chai";
import type { DomainEvent } from "#shared/contracts/domain-events.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { type EventConsumer, startRelay } from "./outbox.ts";
import { query, queryOne } from "./query.ts";
import { currentTransaction } from "./sequelize.ts";
import { inTransaction } from "./transaction.ts";

const publish = (userId: string) => inTransaction((tx) => tx.publish("user.suspended", { user_id: userId }));
const waiting = async (userId: string) =>
  (await queryOne<{ n: number }>("SELECT count(*) AS n FROM outbox WHERE payload->>'user_id' = $1", [userId]))?.n;

describe("outbox", () => {
  useDatabase();
  let stop: () => Promise<void> = async () => {};
  /** User ids of the events delivered, in order, with the time of each. */
  let delivered: { userId: string; atMs: number }[] = [];
  const start = (consume: EventConsumer = async () => undefined) => {
    const push: EventConsumer = async (event, id) => {
      await consume(event, id);
      delivered.push({ userId: userOf(event), atMs: performance.now() });
    };
    stop = startRelay({ record: async () => {}, push });
  };
  const deliveriesOf = (userId: string) => delivered.filter((one) => one.userId === userId);
  afterEach(async () => {
    await stop();
    stop = async () => {};
    delivered = [];
  });

  it("delivers within 50 ms of the commit, and deletes delivered events", async () => {
    start();
    await publish(newId()); // Prepares the statements.
    const lagsMs: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const userId = newId();
      await publish(userId);
      const committedAt = performance.now();
      await until("delivered", () => deliveriesOf(userId).length === 1);
      lagsMs.push((deliveriesOf(userId)[0]?.atMs ?? Number.NaN) - committedAt);
      await until("forgotten", async () => (await waiting(userId)) === 0);
    }
    expect(lagsMs.sort((a, b) => a - b)[10]).to.be.lessThan(50);
  });

  it("never delivers what was rolled back", async () => {
    start();
    const [rolledBack, committed] = [newId(), newId()];
    const failing = inTransaction(async (tx) => {
      await tx.publish("user.suspended", { user_id: rolledBack });
      throw new Error("undo");
    });
    await failing.catch(() => undefined); // The failure is the point.
    await publish(committed);
    await until("the later event is delivered", () => deliveriesOf(committed).length === 1);
    expect(deliveriesOf(rolledBack)).to.deep.equal([]);
    expect(await waiting(rolledBack)).to.equal(0);
  });

  it("redelivers an event whose consumer threw, while others go on", async () => {
    const [bad, good] = [newId(), newId()];
    let failures = 0;
    start(async (event) => {
      if (userOf(event) !== bad || failures === 1) return;
      failures += 1;
      throw new Error("consumer is down");
    });
    await publish(bad);
    await publish(good);
    await until("the other event is delivered", () => deliveriesOf(good).length === 1);
    await until("the event comes again", () => deliveriesOf(bad).length === 1);
    expect(failures).to.equal(1);
    await until("it is forgotten then", async () => (await waiting(bad)) === 0);
  });

  it("keeps events while no relay runs, and delivers them in order when one does", async () => {
    const userIds = Array.from({ length: 250 }, () => newId());
    await inTransaction(async (tx) => {
      for (const userId of userIds) await tx.publish("user.suspended", { user_id: userId });
    });
    start();
    await until("all are delivered", () => delivered.length >= userIds.length);
    expect(delivered.map(({ userId }) => userId).filter((id) => userIds.includes(id))).to.deep.equal(userIds);
  });

  it("delivers outside every transaction, and what a consumer writes stays", async () => {
    const userId = newId();
    start(async () => {
      if (currentTransaction()) throw new Error("inside the relay's transaction");
      await query("INSERT INTO settings (key, value) VALUES ($1, 'true')", [`consumed ${userId}`]);
    });
    await publish(userId);
    await until("delivered", () => deliveriesOf(userId).length === 1);
    expect(await queryOne("SELECT value FROM settings WHERE key = $1", [`consumed ${userId}`])).to.not.equal(undefined);
  });

  it("finds events that another process left", async () => {
    start();
    const userId = newId();
    await query("INSERT INTO outbox (topic, payload) VALUES ('user.suspended', $1)", [
      JSON.stringify({ user_id: userId }),
    ]);
    await until("delivered", () => deliveriesOf(userId).length === 1);
  });

  it("stops after the current batch", async () => {
    const userId = newId();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let began = false;
    start(async () => {
      began = true;
      await held;
    });
    await publish(userId);
    await until("in work", () => began);
    const stopped = stop();
    release();
    await stopped;
    expect(deliveriesOf(userId)).to.have.length(1);
    expect(await waiting(userId)).to.equal(0);
  });
});

function userOf(event: DomainEvent): string {
  return event.topic === "user.suspended" ? event.payload.user_id : "";
}
