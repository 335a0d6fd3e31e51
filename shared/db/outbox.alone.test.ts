import { expect } from "chai";
import pg from "pg";
import type { DomainEvent } from "#shared/contracts/domain-events.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { directUrl } from "./database-address.ts";
import { locks } from "./locks.ts";
import { listDeadLetters, retryDeadLetter } from "./outbox-failures.ts";
import { OutboxPusher } from "./outbox-pusher.ts";
import { OutboxRecorder } from "./outbox-recorder.ts";
import { type EventConsumers, type Relay, startRelay } from "./outbox-relay.ts";
import { OutboxRouter } from "./outbox-router.ts";
import { Slots } from "./outbox-slots.ts";
import { query, queryOne } from "./query.ts";
import { currentTransaction, outsideTransaction } from "./sequelize.ts";
import { inTransaction, type Tx } from "./transaction.ts";

/** An event for two targets; `n` tells several apart. */
const publishAll = (events: readonly { from: string; to: string; n?: number }[]) =>
  inTransaction((tx) =>
    tx.publishAll(
      "dm.read",
      events.map(({ from, to, n = 0 }) => ({ conversation_id: `${n}`, reader_id: from, peer_id: to, read_at: "" })),
    ),
  );
/** An event for one target. */
const publish = (userId: string) => inTransaction((tx) => tx.publish("user.suspended", { user_id: userId }));

const usersOf = ({ topic, payload }: DomainEvent): string[] => {
  if (topic === "user.suspended") return [payload.user_id];
  if (topic === "dm.read") return [payload.reader_id, payload.peer_id!];
  throw new Error("no route");
};
const numberOf = ({ topic, payload }: DomainEvent) => (topic === "dm.read" ? Number(payload.conversation_id) : 0);

const waiting = async (userId: string) =>
  (await queryOne<{ n: number }>("SELECT count(*) AS n FROM undelivered_events WHERE payload::text LIKE $1", [
    `%${userId}%`,
  ]))!.n;

interface Delivered {
  readonly userId: string;
  readonly n: number;
  readonly atMs: number;
}

describe("outbox", () => {
  useDatabase();
  const relays: Relay[] = [];
  let delivered: Delivered[] = [];

  /** Starts a relay, as another process would. `push` may throw or hang. Only topics in `recorded` are recorded. */
  const start = ({
    push = () => undefined,
    record,
  }: {
    push?: (userId: string, event: DomainEvent) => Promise<void> | void;
    record?: (tx: Tx, userIds: readonly string[]) => Promise<void>;
  } = {}): Relay => {
    const consumers: EventConsumers = {
      routeOf: (event) => ({ recordFor: record && usersOf(event)[0], pushTo: usersOf(event) }),
      record: async (tx, topic, payloads) =>
        record?.(
          tx,
          payloads.map((payload) => usersOf({ topic, payload } as DomainEvent)[0]!),
        ),
      push: async (event, userId) => {
        await push(userId, event);
        delivered.push({ userId, n: numberOf(event), atMs: performance.now() });
      },
    };
    const relay = startRelay(consumers, {
      wakeOthers: (slots) => slots.forEach((slot) => void relays.map(({ wake }) => wake(slot))),
      owns: () => {},
    });
    relays.push(relay);
    return relay;
  };
  const deliveriesOf = (userId: string) => delivered.filter((one) => one.userId === userId);
  afterEach(async () => {
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));
    delivered = [];
    await query("DELETE FROM outbox_deliveries");
  });

  it("delivers within 50 ms of the commit, and deletes delivered events", async () => {
    start();
    await publish(newId());
    await until("it has begun", () => delivered.length === 1);
    const lagsMs: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const userId = newId();
      await publish(userId);
      const committedAt = performance.now();
      await until("delivered", () => deliveriesOf(userId).length === 1);
      lagsMs.push(deliveriesOf(userId)[0]!.atMs - committedAt);
      await until("forgotten", async () => (await waiting(userId)) === 0);
    }
    expect(lagsMs.sort((a, b) => a - b)[10]).to.be.lessThan(50);
  });

  it("never delivers events that were rolled back", async () => {
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

  it("keeps events while no relay runs, and delivers all of them to each target in order when one does", async () => {
    const [ada, bob] = [newId(), newId()];
    await publishAll(Array.from({ length: 700 }, (_, n) => ({ from: ada, to: bob, n })));
    start();
    await until("all are delivered", () => delivered.length >= 1400);
    const inOrder = Array.from({ length: 700 }, (_, n) => n);
    for (const user of [ada, bob]) expect(deliveriesOf(user).map(({ n }) => n)).to.deep.equal(inOrder);
  });

  it("delivers outside every transaction, so that a consumer's writes persist", async () => {
    const userId = newId();
    start({
      push: async () => {
        if (currentTransaction()) throw new Error("inside the relay's transaction");
        await query("INSERT INTO settings (key, value) VALUES ($1, 'true')", [`consumed ${userId}`]);
      },
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

  it("stores no delivery of what it can push and record at once", async () => {
    const recorded: string[] = [];
    start({ record: async (tx, userIds) => tx.afterCommit(() => recorded.push(...userIds)) });
    const lastStored = async () =>
      (await queryOne<{ last_value: number }>("SELECT last_value FROM outbox_deliveries_id_seq"))!.last_value;
    /** Returns how many deliveries are stored of an event. */
    const storedOf = async () => {
      const [ada, bob, before] = [newId(), newId(), await lastStored()];
      await publishAll([{ from: ada, to: bob }]);
      await until("pushed", () => [ada, bob].every((userId) => deliveriesOf(userId).length === 1));
      await until("forgotten", async () => (await waiting(ada)) === 0);
      expect(recorded.filter((userId) => userId === ada)).to.have.length(1);
      return (await lastStored()) - before;
    };
    await until("it has found that nothing waits", async () => (await storedOf()) === 0);
    for (let n = 0; n < 10; n += 1) expect(await storedOf()).to.equal(0);
  });

  const fill = (slot: string) =>
    `INSERT INTO outbox_deliveries (slot, topic, payload, target, created_at)
     SELECT ${slot}, 'user.suspended', '{}', gen_random_uuid(), now() FROM generate_series(1, 5000) AS n`;
  const empty = "DELETE FROM outbox_deliveries";
  const vacuum = "VACUUM (ANALYZE) outbox_deliveries";
  const statistics = {
    "its tables are empty": [],
    "its tables were empty at the last vacuum": [vacuum],
    "one slot had all deliveries at the last vacuum": [fill("2"), vacuum, empty],
    "all slots had some at the last vacuum": [fill("2 + n % 62"), vacuum, empty],
  };
  for (const [when, statements] of Object.entries(statistics))
    it(`reads and deletes by indexes while ${when}`, async () => {
      for (const statement of statements) await query(statement);
      const slots = new Slots({ taken: (taken) => pusher.take(taken), left: async () => {} });
      const recorder = new OutboxRecorder(slots, async () => {});
      const pusher = new OutboxPusher(slots, { push: () => Promise.reject(new Error("consumer is down")) }, () => {});
      const routeOf = (event: DomainEvent) => ({ recordFor: usersOf(event)[0], pushTo: usersOf(event) });
      const router = new OutboxRouter(slots, routeOf, { recorder, pusher });
      await slots.balance();

      for (let n = 0; n < 2; n += 1) {
        await publish(newId());
        for (const part of [router, recorder, pusher]) await part.step();
      }
      const prepared = await slots.query<{ name: string; statement: string; parameters: number }>(
        `SELECT name, statement, coalesce(cardinality(parameter_types), 0) AS parameters FROM pg_prepared_statements
         WHERE statement ~ 'outbox'`,
      );
      const scans: string[] = [];
      for (const { name, parameters } of prepared) {
        const nulls = parameters > 0 ? `(${Array(parameters).fill("NULL").join(", ")})` : "";
        const plan = await slots.query<{ "QUERY PLAN": string }>(`EXPLAIN EXECUTE ${name}${nulls}`);
        scans.push(...plan.map((line) => line["QUERY PLAN"]).filter((line) => /Scan.* on outbox/.test(line)));
      }
      await pusher.stop();
      await slots.close();

      expect(scans.filter((scan) => !/Index (Only )?Scan using/.test(scan))).to.deep.equal([]);
      // The routing, the recording, the pushes, and the retries.
      for (const index of ["outbox_pkey", "outbox_deliveries_slot_idx", "outbox_deliveries_retry_idx"])
        expect(scans.join("\n")).to.include(index);
    });

  describe("while a long snapshot is open", () => {
    const routeOf = (event: DomainEvent) => ({ recordFor: usersOf(event)[0], pushTo: usersOf(event) });
    let snapshot: pg.Client;
    beforeEach(async () => {
      snapshot = new pg.Client({ connectionString: directUrl() });
      await snapshot.connect();
      await snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await snapshot.query("SELECT count(*) FROM outbox");
    });
    afterEach(() => snapshot.end());

    /** The parts of a relay, each of whose steps the test runs. */
    async function makeParts() {
      const slots = new Slots({ taken: (taken) => pusher.take(taken), left: async () => {} });
      const recorder = new OutboxRecorder(slots, async () => {});
      const pusher = new OutboxPusher(
        slots,
        { push: (event, userId) => void delivered.push({ userId, n: numberOf(event), atMs: 0 }) },
        () => {},
      );
      const router = new OutboxRouter(slots, routeOf, { recorder, pusher });
      await slots.balance();
      const run = async () => {
        while ((await router.step()).more);
        for (const part of [recorder, pusher]) while (await part.step());
        await router.observe();
      };
      const stop = async () => {
        await pusher.stop();
        await slots.close();
      };
      return { slots, recorder, router, run, stop };
    }

    it("visits no events that it has delivered, whatever the statistics say", async () => {
      const { slots, recorder, run, stop } = await makeParts();
      // Once, all deliveries were of one slot: its index seems to find no fewer than that of all.
      await query(
        `INSERT INTO outbox_deliveries (slot, topic, payload, target, created_at)
         SELECT 2, 'user.suspended', '{}', gen_random_uuid(), now() FROM generate_series(1, 5000)`,
      );
      await query("ANALYZE outbox_deliveries");
      await query("DELETE FROM outbox_deliveries");
      const visited = async () => {
        await slots.query("SELECT pg_stat_force_next_flush()");
        const [row] = await slots.query<{ n: number }>(
          "SELECT sum(idx_tup_read) AS n FROM pg_stat_user_indexes WHERE relname IN ('outbox', 'outbox_deliveries')",
        );
        return Number(row!.n);
      };
      const some = () => Array.from({ length: 2000 }, (_, n) => ({ from: newId(), to: newId(), n }));
      // The first way is by deliveries, as long as something waits to be recorded.
      for (let n = 0; n < 3; n += 1) {
        await publishAll(some());
        if (n === 0) recorder.fill();
        await run();
      }
      const visitedBy = async (looks: number) => {
        const before = await visited();
        for (let n = 0; n < looks; n += 1) {
          recorder.look();
          await run();
        }
        return (await visited()) - before;
      };
      await until("all events are certainly gone", async () => (await visitedBy(1)) < 10, 15_000);

      const more = await visitedBy(20);
      await stop();
      expect(delivered).to.have.length(12_000);
      expect(more).to.be.lessThan(200);
    });

    it("finds an event that is committed after many later ones", async () => {
      const { run, stop } = await makeParts();
      const [late, userId] = [newId(), newId()];
      const writer = new pg.Client({ connectionString: directUrl() });
      await writer.connect();
      await writer.query("BEGIN");
      await writer.query("INSERT INTO outbox (topic, payload) VALUES ('user.suspended', $1)", [{ user_id: late }]);
      for (let n = 0; n < 10; n += 1) {
        await publish(userId);
        await run();
      }
      expect(deliveriesOf(userId)).to.have.length(10);

      await writer.query("COMMIT");
      await run();

      await writer.end();
      await stop();
      expect(deliveriesOf(late)).to.have.length(1);
    });
  });

  it("stops after the work in progress", async () => {
    const userId = newId();
    const held = Promise.withResolvers<void>();
    let began = false;
    const relay = start({
      push: () => {
        began = true;
        return held.promise;
      },
    });
    await publish(userId);
    await until("in work", () => began);
    const stopped = relay.stop();
    held.resolve();
    await stopped;
    expect(deliveriesOf(userId)).to.have.length(1);
    expect(await waiting(userId)).to.equal(0);
  });

  it("keeps the order of each target while three processes push to many at once", async () => {
    const users = Array.from({ length: 12 }, () => newId());
    // Each user has several slow pushes under way at some time, if they were ever pushed beside each other.
    for (let n = 0; n < 3; n += 1) start({ push: () => new Promise((resolve) => setImmediate(resolve)) });
    const pairs = Array.from({ length: 600 }, (_, n) => ({
      from: users[n % 12]!,
      to: users[(n * 7 + 1 + (n % 5)) % 12]!,
      n,
    })).filter(({ from, to }) => from !== to);
    for (let first = 0; first < pairs.length; first += 20) await publishAll(pairs.slice(first, first + 20));
    await until("all are delivered", () => delivered.length >= pairs.length * 2, 20_000);
    for (const user of users) {
      const due = pairs.filter(({ from, to }) => from === user || to === user).map(({ n }) => n);
      expect(deliveriesOf(user).map(({ n }) => n)).to.deep.equal(due);
    }
  });

  it("doesn't let a target whose pushes never end delay others", async () => {
    const [hanging, others] = [newId(), Array.from({ length: 40 }, () => newId())];
    let begun = 0;
    start({
      push: (userId) => {
        if (userId !== hanging) return;
        begun += 1;
        return new Promise(() => {});
      },
    });
    await publishAll(Array.from({ length: 2000 }, () => ({ from: hanging, to: hanging })));
    await until("it hangs", () => begun > 0);
    for (const userId of others) await publish(userId);
    await until("the others are delivered", () => others.every((userId) => deliveriesOf(userId).length === 1));
    expect(begun).to.equal(1);
  });

  it("recovers from a lost connection: pushes again, and records once", async () => {
    const users = Array.from({ length: 64 }, () => newId());
    const recorded: string[] = [];
    const held = Promise.withResolvers<void>();
    // Counted with the commit.
    const record = async (tx: Tx, userIds: readonly string[]) => tx.afterCommit(() => recorded.push(...userIds));
    start({ record, push: () => held.promise });
    await publishAll(users.map((userId) => ({ from: userId, to: userId })));
    await until("all are recorded", () => recorded.length === users.length);
    const [lost] = await query(
      `SELECT pg_terminate_backend(pid) AS ended FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid = 0
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [locks.outboxRelay],
    );
    expect(lost).to.deep.equal({ ended: true });
    held.resolve();
    const later = newId();
    await publish(later);
    await until("all are delivered", () => [...users, later].every((userId) => deliveriesOf(userId).length > 0));
    await until("and forgotten", async () => (await queryOne("SELECT 1 FROM undelivered_events")) === undefined);
    expect(recorded).to.have.members([...users, later]);
  });

  describe("with a consumer that fails", () => {
    const retryNow = () => query("UPDATE outbox_deliveries SET next_at = now() WHERE next_at > now()");
    const letterOf = async (userId: string) =>
      (await listDeadLetters({ limit: 100 })).find(({ target }) => target === userId);
    const untilDead = (userId: string) =>
      until("it is dead", async () => (await retryNow()) && (await letterOf(userId)) !== undefined, 15_000);

    it("repeats a failed push without delaying others", async () => {
      const [bad, good] = [newId(), newId()];
      let failures = 0;
      start({
        push: (userId) => {
          if (userId !== bad || failures === 2) return;
          failures += 1;
          throw new Error("consumer is down");
        },
      });
      await publish(bad);
      await publish(good);
      await until("the other event is delivered", () => deliveriesOf(good).length === 1);
      await until("the event comes again", async () => (await retryNow()) && deliveriesOf(bad).length === 1);
      expect(failures).to.equal(2);
      await until("it is forgotten then", async () => (await waiting(bad)) === 0);
    });

    it("puts a poisonous push aside as a dead letter, which can be tried again", async () => {
      const [bad, before] = [newId(), newId()];
      let cured = false;
      start({
        push: (userId, event) => {
          if (userId === bad && numberOf(event) === 1 && !cured) throw new Error("poison");
        },
      });
      await publishAll([0, 1, 2].map((n) => ({ from: bad, to: before, n })));
      await until("its neighbours are delivered", () => deliveriesOf(bad).length === 2);
      await untilDead(bad);
      const letter = (await letterOf(bad))!;
      expect(letter).to.include({ topic: "dm.read", attempts: 10, error: "Error: poison" });
      expect(letter.payload).to.include({ conversation_id: "1" });
      cured = true;
      expect(await inTransaction((tx) => retryDeadLetter(tx, letter.id))).to.equal(true);
      await until("it is delivered", () => deliveriesOf(bad).length === 3);
      expect([await inTransaction((tx) => retryDeadLetter(tx, letter.id)), await letterOf(bad)]).to.deep.equal([
        false,
        undefined,
      ]);
      expect(deliveriesOf(before).map(({ n }) => n)).to.deep.equal([0, 1, 2]);
    });

    it("puts an event aside that it can't route, which can be tried again", async () => {
      const [next, id] = [newId(), newId()];
      await query("INSERT INTO outbox (topic, payload) VALUES ('user.unknown', $1)", [JSON.stringify({ user_id: id })]);
      start();
      await publish(next);
      await until("the next one is delivered", () => deliveriesOf(next).length === 1);
      const letter = (await listDeadLetters({ limit: 100 })).find(({ payload }) =>
        JSON.stringify(payload).includes(id),
      )!;
      expect(letter).to.include({ topic: "user.unknown", target: "", error: "Error: no route" });
      await query("UPDATE outbox_dead_letters SET topic = 'user.suspended' WHERE id = $1", [letter.id]);
      expect(await inTransaction((tx) => retryDeadLetter(tx, letter.id))).to.equal(true);
      await until("it is delivered", () => deliveriesOf(id).length === 1);
    });

    it("records the rest of a batch when one event can't be recorded, each once, and that one when it is cured", async () => {
      const [bad, others] = [newId(), Array.from({ length: 100 }, () => newId())];
      let cured = false;
      start({
        record: async (tx, userIds) => {
          for (const userId of userIds)
            await tx.query(
              `INSERT INTO settings (key, value) VALUES ($1, '1')
               ON CONFLICT (key) DO UPDATE SET value = to_jsonb((settings.value #>> '{}')::int + 1)`,
              [`recorded ${userId}`],
            );
          if (userIds.includes(bad) && !cured) throw new Error("poison");
        },
      });
      const recorded = () => query("SELECT key, value FROM settings WHERE key LIKE 'recorded %'");
      await publishAll([...others, bad].map((userId) => ({ from: userId, to: userId })));
      await until("the others are recorded", async () => (await recorded()).length === others.length);
      await untilDead(bad);
      cured = true;
      const letter = (await letterOf(bad))!;
      await inTransaction((tx) => retryDeadLetter(tx, letter.id));
      await until("it is recorded", async () => (await recorded()).length === others.length + 1);
      const once = [...others, bad].map((userId) => ({ key: `recorded ${userId}`, value: 1 }));
      expect(await recorded()).to.have.deep.members(once);
      await query("DELETE FROM settings WHERE key LIKE 'recorded %'");
    });

    it("delays only the records that need a row locked by another transaction", async () => {
      const [locked, others] = [newId(), Array.from({ length: 50 }, () => newId())];
      const recorded: string[] = [];
      start({
        record: async (tx, userIds) => {
          await tx.query("UPDATE settings SET value = '2' WHERE key = ANY($1)", [userIds.map((id) => `row ${id}`)]);
          tx.afterCommit(() => recorded.push(...userIds));
        },
      });
      await query("INSERT INTO settings (key, value) VALUES ($1, '1')", [`row ${locked}`]);
      await inTransaction(async (tx) => {
        await tx.query("SELECT 1 FROM settings WHERE key = $1 FOR UPDATE", [`row ${locked}`]);
        for (const userId of others)
          await outsideTransaction(() => publishAll([locked, userId].map((from) => ({ from, to: from }))));
        await until("the others are recorded", () => recorded.length === others.length);
      });
      await until("it is recorded", async () => (await retryNow()) && recorded.length === 2 * others.length);
      expect(recorded).to.have.members([...others, ...others.map(() => locked)]);
    });
  });
});
