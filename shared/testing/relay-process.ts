import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import type { DomainEvent } from "#shared/contracts/domain-events.ts";
import { startRelay } from "#shared/db/outbox-relay.ts";
import { query } from "#shared/db/query.ts";
import { openDatabase } from "#shared/db/sequelize.ts";
import type { Tx } from "#shared/db/transaction.ts";

/**
 * A relay in a process of its own, for tests that kill it: `node relay-process.ts <database> <redis>`. It records and
 * pushes events `dm.read` into the tables `model_records` and `model_pushes`, and wakes other relays over Redis.
 */
const [databaseUrl, redisUrl] = process.argv.slice(2) as [string, string];
const topic = "wake";

interface Payload {
  readonly conversation_id: string;
}

await openDatabase(databaseUrl);
const connect = () => new Redis(redisUrl, { maxRetriesPerRequest: 0, retryStrategy: () => 50 }).on("error", () => {});
const [publisher, subscriber] = [connect(), connect()];

const usersOf = (event: DomainEvent): [string, string] => {
  if (event.topic !== "dm.read") throw new Error("no route");
  return [event.payload.reader_id, event.payload.peer_id!];
};

async function push(payloads: readonly Payload[], target: string): Promise<void> {
  const facts = payloads.map(({ conversation_id }) => Number(conversation_id));
  // Some are slow, so that others wait behind them, in memory and in the table.
  await pause(facts.at(-1)! % 8);
  await query(
    "INSERT INTO model_pushes (target, fact) SELECT $1, fact FROM unnest($2::int[]) WITH ORDINALITY AS fact (fact, place) ORDER BY place",
    [target, facts],
  );
}

const relay = startRelay(
  {
    routeOf: (event) => ({ recordFor: usersOf(event)[0], pushTo: usersOf(event) }),
    record: async (tx: Tx, _topic, payloads: readonly Payload[]) => {
      const facts = payloads.map(({ conversation_id }) => Number(conversation_id));
      // Some take until others have the locks, if this process has lost them.
      if (facts.some((fact) => fact % 64 === 7)) await pause(600);
      await tx.query("INSERT INTO model_records (fact) SELECT unnest($1::int[])", [facts]);
    },
    push: ({ payload }, target) => push([payload as Payload], target),
    pushBatch: () => push,
  },
  {
    wakeOthers: (slots) => {
      for (const slot of slots) publisher.publish(topic, `${slot}`).catch(() => undefined);
    },
    owns: () => {},
  },
);
subscriber.on("message", (_topic, slot: string) => relay.wake(Number(slot)));
await subscriber.subscribe(topic);
process.on("disconnect", () => process.exit());
process.send?.("ready");
