import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Step: returns how many coins each of these users must keep, because they bought them less than `gift_hold_hours` ago.
 * What they spend otherwise, or a refund takes back, is counted as bought last. Their wallets are locked, so that no
 * purchase comes in between.
 */
export async function heldCoins(tx: Tx, userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const hours = setting("gift_hold_hours");
  const rows = await tx.query<{ user_id: string; held: number }>(
    `WITH bought AS (
       SELECT o.user_id, min(o.paid_at) AS since FROM payment_orders o
         LEFT JOIN purchase_clearances c ON c.user_id = o.user_id
       WHERE o.user_id = ANY ($1::uuid[]) AND o.asset = 'coins' AND o.credit > 0
         AND o.paid_at > greatest(now() - $2 * interval '1 hour', c.cleared_at)
       GROUP BY o.user_id
     ), moved AS (
       SELECT e.user_id, e.entry_no, sum(e.amount) OVER (PARTITION BY e.user_id ORDER BY e.entry_no) AS sum
       FROM bought b JOIN ledger_entries e ON e.user_id = b.user_id AND e.asset = 'coins' AND e.created_at >= b.since
       WHERE e.type IN ('coin_purchase', 'frame_purchase', 'refund')
     )
     SELECT user_id, ((array_agg(sum ORDER BY entry_no DESC))[1] - least(0, min(sum)))::bigint AS held
     FROM moved GROUP BY user_id`,
    [[...new Set(userIds)], hours],
  );
  return new Map(rows.map(({ user_id, held }) => [user_id, held]));
}

export const coinsHeld = () =>
  new DomainError("COINS_HELD", "Coins can be sent as gifts {{count}} hours after you buy them.", {
    values: { count: setting("gift_hold_hours") },
  });
