import pg from "pg";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { sendGift } from "#shared/domain/gifts/send-gift.ts";
import { isId, newId } from "#shared/kernel/ids.ts";
import type { GiftScene, Pair } from "../gift-scene.ts";

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The statements of one gift, from BEGIN to COMMIT, as the service's own command sends them: it is run once here, and
 * what it gives to pg is written down. So the peer can never be another than the service.
 */
export async function recordGift(databaseUrl: string, scene: GiftScene): Promise<Statement[]> {
  const recorded: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: never[]) {
    recorded.push(asStatement(args[0], args[1]));
    return (query as (...all: never[]) => never).apply(this, args);
  } as typeof query;
  try {
    await openDatabase(databaseUrl);
    recorded.length = 0;
    const { sender, recipient } = scene.pairs[0]!;
    const caller = { userId: sender.id, sessionId: "", expiresAtMs: 0 };
    const order = { room_id: scene.roomId, gift_id: scene.giftId, recipient_id: recipient.id, quantity: 1 };
    await sendGift(caller, order);
  } finally {
    pg.Client.prototype.query = query;
    await closeDatabase();
  }
  return recorded;
}

function asStatement(first: unknown, second: unknown): Statement {
  if (typeof first === "string") return { text: first, values: Array.isArray(second) ? second : [] };
  const { name, text, values = [] } = first as { name?: string; text: string; values?: unknown[] };
  return { ...(name && { name }), text, values };
}

/** One worker a pair, as many at once as there are pairs; the pool is as large as the service's. Answers gifts a second. */
export async function giftsByPlainPg(
  pool: pg.Pool,
  statements: readonly Statement[],
  scene: GiftScene,
  seconds: number,
): Promise<number> {
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1000;
  let gifts = 0;
  await Promise.all(
    scene.pairs.map(async (pair) => {
      while (performance.now() < untilMs) {
        await giveOne(pool, statements, scene, pair);
        gifts += 1;
      }
    }),
  );
  return gifts / ((performance.now() - startedMs) / 1000);
}

async function giveOne(
  pool: pg.Pool,
  statements: readonly Statement[],
  scene: GiftScene,
  { sender, recipient }: Pair,
): Promise<void> {
  const recorded = scene.pairs[0]!;
  const ids = new Map([
    [recorded.sender.id, sender.id],
    [recorded.recipient.id, recipient.id],
    [scene.roomId, scene.roomId],
    [scene.giftId, scene.giftId],
  ]);
  const client = await pool.connect();
  try {
    for (const { values, ...statement } of statements)
      await client.query({ ...statement, values: values.map((value) => anew(value, ids)) });
  } finally {
    client.release();
  }
}

/** A recorded value for another gift: people are replaced, and every id that the command made is made anew. */
function anew(value: unknown, ids: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => anew(one, ids));
  // A topic of its own, so that the service's relay has nobody to tell of it.
  if (value === "gift.sent") return "bench.gift";
  if (!isId(value)) return value;
  const known = ids.get(value) ?? newId();
  ids.set(value, known);
  return known;
}
