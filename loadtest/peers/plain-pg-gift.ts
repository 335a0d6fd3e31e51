import type pg from "pg";
import { newId } from "#shared/kernel/ids.ts";
import type { GiftScene, Pair } from "../gift.ts";

/**
 * The statements of one gift, as the service sends them (see shared/domain/gifts and shared/domain/ledger), prepared
 * likewise, and nothing else: no HTTP, no token, no checks, no views.
 */
const statements = {
  gift: `SELECT g.id, g.name, g.image_url, g.animation_url, g.price, g.category_id,
       EXISTS (SELECT 1 FROM users WHERE id = $2 AND status = 'active') AS recipient_active
     FROM gifts g JOIN gift_categories c ON c.id = g.category_id
     WHERE g.id = $1 AND g.retired_at IS NULL AND c.retired_at IS NULL`,
  cards: `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country,
       coalesce((u.settings #>> '{privacy,show_online}')::boolean, true)
         AND EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now()) AS is_online
     FROM users u WHERE u.id = ANY($1::uuid[])`,
  row: `INSERT INTO gift_transactions
       (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins, recipient_coins)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id, created_at`,
  transfer: `WITH asked AS (
       SELECT * FROM unnest($5::uuid[], $6::text[], $7::uuid[], $8::text[], $9::bigint[])
         AS entry (id, type, user_id, house, amount)
     ), locked AS MATERIALIZED (
       SELECT user_id, balance, entry_count FROM wallets
       WHERE user_id = ANY ($7::uuid[]) ORDER BY user_id FOR NO KEY UPDATE
     ), entry AS MATERIALIZED (
       SELECT asked.*, locked.balance + asked.amount AS balance_after, locked.entry_count + 1 AS entry_no
       FROM asked LEFT JOIN locked USING (user_id)
     ), checked AS MATERIALIZED (
       SELECT bool_and(coalesce(balance_after >= 0, house IS NOT NULL)) AS passed FROM entry
     ), moved AS (
       UPDATE wallets SET balance = entry.balance_after, entry_count = entry.entry_no
       FROM entry WHERE wallets.user_id = entry.user_id AND (SELECT passed FROM checked)
     ), movement AS (
       INSERT INTO ledger_movements (id, reference_type, reference_id, description)
       SELECT $1::uuid, $2::text, $3::uuid, $4::text WHERE (SELECT passed FROM checked)
     ), written AS (
       INSERT INTO ledger_entries (id, movement_id, type, user_id, house, amount, balance_after, entry_no)
       SELECT id, $1::uuid, type, user_id, house, amount, balance_after, entry_no
       FROM entry WHERE (SELECT passed FROM checked)
     )
     SELECT user_id, balance_after FROM entry WHERE user_id IS NOT NULL`,
  fact: "INSERT INTO outbox (topic, payload) VALUES ($1, $2)",
};

/** One worker a pair, as many at once as there are pairs; the pool is as large as the service's. Answers gifts a second. */
export async function giftsByPlainPg(pool: pg.Pool, scene: GiftScene, seconds: number): Promise<number> {
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1000;
  let gifts = 0;
  await Promise.all(
    scene.pairs.map(async (pair) => {
      while (performance.now() < untilMs) {
        await giveOne(pool, scene, pair);
        gifts += 1;
      }
    }),
  );
  return gifts / ((performance.now() - startedMs) / 1000);
}

async function giveOne(pool: pg.Pool, { roomId, giftId }: GiftScene, { sender, recipient }: Pair): Promise<void> {
  const client = await pool.connect();
  const run = (name: keyof typeof statements, values: unknown[]) =>
    client.query({ name, text: statements[name], values });
  try {
    await client.query("START TRANSACTION;");
    const { rows } = await run("gift", [giftId, recipient.id]);
    const total = Number(rows[0].price);
    const share = Math.floor(total / 2);
    const cards = await run("cards", [[sender.id, recipient.id]]);
    const id = newId();
    await run("row", [id, giftId, roomId, sender.id, recipient.id, 1, total, total, share]);
    const entries = [
      ["gift_sent", sender.id, null, -total],
      ["gift_received", recipient.id, null, share],
      ["gift_sent", null, "gift_revenue", total - share],
    ].filter(([, , , amount]) => amount !== 0);
    await run("transfer", [
      newId(),
      "gift_transaction",
      id,
      "Gift × 1",
      entries.map(() => newId()),
      ...[0, 1, 2, 3].map((column) => entries.map((entry) => entry[column])),
    ]);
    // A topic of its own, so that the service's relay has nobody to tell of it.
    await run("fact", ["bench.gift", JSON.stringify({ id, gift: rows[0], cards: cards.rows })]);
    await client.query("COMMIT;");
  } finally {
    client.release();
  }
}
