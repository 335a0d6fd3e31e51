import type pg from "pg";
import { transferGift } from "#shared/domain/gifts/transfer-gift.ts";
import { isId, newId } from "#shared/kernel/ids.ts";
import { callerOf } from "#shared/testing/people.ts";
import type { GiftScene, Pair } from "../gift-scene.ts";
import { recordStatements, type Statement } from "./recorded-statements.ts";

/** Returns the statements of one gift, from BEGIN to COMMIT. */
export function recordGift(databaseUrl: string, scene: GiftScene): Promise<Statement[]> {
  const { sender, recipient } = scene.pairs[0]!;
  const order = { room_id: scene.roomId, gift_id: scene.giftId, recipient_id: recipient.id, quantity: 1 };
  return recordStatements(databaseUrl, () => transferGift(callerOf(sender), order));
}

/** Sends gifts with one worker per pair and a pool of the service's size. Returns the gifts per second. */
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
      await client.query({ ...statement, values: values.map((value) => rewrite(value, ids)) });
  } finally {
    client.release();
  }
}

/** Adapts a recorded value to another gift: replaces the users, and all IDs that the command generated. */
function rewrite(value: unknown, ids: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => rewrite(one, ids));
  // A separate topic, so that the service's outbox relay has no consumer for it.
  if (value === "gift.sent") return "bench.gift";
  if (!isId(value)) return value;
  const known = ids.get(value) ?? newId();
  ids.set(value, known);
  return known;
}
