import { query } from "#shared/db/query.ts";
import type { GiftTotals, SentGift } from "#shared/extension/hub.ts";

type Rows<T> = (T & Record<string, unknown>)[];

/** Returns gifts by the IDs of their transactions, with what the house kept of each. */
export async function sentGifts(ids: readonly string[]): Promise<ReadonlyMap<string, SentGift>> {
  const rows: Rows<SentGift> = await query<SentGift & Record<string, unknown>>(
    `SELECT t.id, t.gift_id, t.room_id, r.host_id, t.sender_id, t.recipient_id, t.total_coins AS coins,
       t.bought_coins AS bought, t.total_coins - CASE WHEN t.plan_id IS NULL THEN t.recipient_coins ELSE
         coalesce((SELECT sum(s.amount) FROM gift_shares s WHERE s.gift_transaction_id = t.id), 0)::bigint END AS kept
     FROM gift_transactions t JOIN rooms r ON r.id = t.room_id WHERE t.id = ANY ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Adds up the gifts in each of these rooms from a time until before another. Rooms without gifts are left out. The IDs,
 * which are from another clock, only rule out partitions.
 */
export async function giftTotals(
  roomIds: readonly string[],
  from: string,
  until: string,
): Promise<ReadonlyMap<string, GiftTotals>> {
  const rows: Rows<GiftTotals & { room_id: string }> = await query(
    `SELECT room_id, sum(total_coins)::bigint AS coins, sum(bought_coins)::bigint AS bought FROM gift_transactions
     WHERE room_id = ANY ($1::uuid[]) AND created_at >= $2 AND created_at < $3
       AND id >= first_id_at($2::timestamptz - interval '1 day') AND id < first_id_at($3::timestamptz + interval '1 day')
     GROUP BY room_id`,
    [roomIds, from, until],
  );
  return new Map(rows.map(({ room_id, coins, bought }) => [room_id, { coins, bought }]));
}
