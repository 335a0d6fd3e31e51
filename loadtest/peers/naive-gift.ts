import type { Pool, PoolClient } from "pg";
import { newId } from "#shared/kernel/ids.ts";
import type { GiftRates, GiftScene, Pair } from "../gift-scene.ts";

/** Stands for the service's outbox, which the relay would empty meanwhile. */
const outbox = "naive_outbox";

/**
 * Gifts as one would write them first: BEGIN, the rows of a gift one after the other by prepared statements, COMMIT.
 * The tables, constraints, and pool size are those of the service. One worker per pair.
 */
export async function naiveGifts(pool: Pool, scene: GiftScene, seconds: number): Promise<GiftRates> {
  await pool.query(`CREATE TABLE IF NOT EXISTS ${outbox} (LIKE outbox INCLUDING ALL)`);
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1000;
  const tookMs: number[] = [];
  await Promise.all(
    scene.pairs.map(async (pair) => {
      while (performance.now() < untilMs) {
        const askedMs = performance.now();
        const client = await pool.connect();
        try {
          await giveOne(client, scene, pair);
        } finally {
          client.release();
        }
        tookMs.push(performance.now() - askedMs);
      }
    }),
  );
  const perSecond = tookMs.length / ((performance.now() - startedMs) / 1000);
  return { perSecond, p99: tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length * 0.99)]! };
}

async function giveOne(client: PoolClient, { roomId, giftId }: GiftScene, { sender, recipient }: Pair): Promise<void> {
  const run = async (name: string, text: string, values: unknown[]) =>
    (await client.query<Record<string, string>>({ name: `naive ${name}`, text, values })).rows;
  const [giftTransaction, ledgerTransaction] = [newId(), newId()];

  await client.query("BEGIN");
  const [gift] = await run("price", "SELECT name, price FROM gifts WHERE id = $1 AND retired_at IS NULL", [giftId]);
  const price = Number(gift!.price);
  const share = Math.floor(price / 2);
  await run(
    "gift",
    `INSERT INTO gift_transactions
       (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins, recipient_coins)
     VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8)`,
    [giftTransaction, giftId, roomId, sender.id, recipient.id, price, price, share],
  );
  const move = async (userId: string, amount: number) =>
    (
      await run(
        "wallet",
        "UPDATE wallets SET balance = balance + $2, entry_count = entry_count + 1 WHERE user_id = $1 AND asset = 'coins' RETURNING balance, entry_count",
        [userId, amount],
      )
    )[0]!;
  const paid = await move(sender.id, -price);
  const received = await move(recipient.id, share);
  await run(
    "ledger transaction",
    `INSERT INTO ledger_movements (id, reference_type, reference_id, description, principal_kind, principal_id)
     VALUES ($1, 'gift_transaction', $2, $3, 'user', $4)`,
    [ledgerTransaction, giftTransaction, `${gift!.name} × 1`, sender.id],
  );
  // The entries of a ledger transaction must be written by one statement.
  await run(
    "entries",
    `INSERT INTO ledger_entries (id, movement_id, type, user_id, house, amount, balance_after, entry_no)
     VALUES ($1, $4, 'gift_sent', $5, NULL, $6, $7, $8), ($2, $4, 'gift_received', $9, NULL, $10, $11, $12),
       ($3, $4, 'gift_sent', NULL, 'gift_revenue', $13, NULL, NULL)`,
    [
      newId(),
      newId(),
      newId(),
      ledgerTransaction,
      sender.id,
      -price,
      paid.balance,
      paid.entry_count,
      recipient.id,
      share,
      received.balance,
      received.entry_count,
      price - share,
    ],
  );
  await run("outbox", `INSERT INTO ${outbox} (topic, payload) VALUES ('gift.sent', $1)`, [
    JSON.stringify({ transaction: { id: giftTransaction, room_id: roomId, sender, recipient, gift } }),
  ]);
  await client.query("COMMIT");
}
