import type { EarningsLiability } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";

/**
 * Returns what the operator owes for earnings, in each currency that they can be paid in or that money was received in,
 * as if all were paid in this one, and whether what was received for coins covers it. Amounts of money are in minor
 * units. What is maturing is what users got in the last `earnings_maturing_days`, at most what they have.
 */
export const listLiabilities = (): Promise<EarningsLiability[]> =>
  inSnapshot(
    () =>
      query<EarningsLiability & Record<string, unknown>>(
        `WITH got AS (
           SELECT user_id, sum(amount) AS amount FROM ledger_entries
           WHERE asset = 'earnings' AND user_id IS NOT NULL AND amount > 0 AND created_at > now() - $1 * interval '1 day'
             AND id >= first_id_at(now() - ($1 + 1) * interval '1 day')
           GROUP BY 1
         ), wallet AS (
           SELECT coalesce(sum(w.balance), 0) AS balance, coalesce(sum(least(w.balance, g.amount)), 0) AS maturing
           FROM wallets w LEFT JOIN got g ON g.user_id = w.user_id WHERE w.asset = 'earnings'
         ), houses AS (
           SELECT coalesce(sum(amount) FILTER (WHERE house IN ('payouts_held', 'payouts_sent')), 0) AS held,
             -coalesce(sum(amount) FILTER (WHERE house = 'debt'), 0) AS debt
           FROM ledger_entries WHERE asset = 'earnings' AND house IN ('payouts_held', 'payouts_sent', 'debt')
         ), rates AS (
           SELECT currency, max(rate) AS rate FROM payout_methods WHERE retired_at IS NULL GROUP BY 1
         ), money AS (
           SELECT o.currency::text, sum(p.amount) AS received, sum(p.refunded_amount) AS refunded
           FROM payments p JOIN payment_orders o ON o.id = p.order_id WHERE o.asset = 'coins' AND o.credit > 0 GROUP BY 1
         ), paid AS (
           SELECT currency, sum(net) AS paid_out FROM payouts WHERE status = 'settled' GROUP BY 1
         )
         SELECT currency, w.balance::bigint AS earnings, (w.balance - w.maturing)::bigint AS mature, w.maturing::bigint,
           h.held::bigint, h.debt::bigint AS owed_by_users, r.rate, o.owed, coalesce(m.received, 0)::bigint AS received,
           coalesce(m.refunded, 0)::bigint AS refunded, coalesce(p.paid_out, 0)::bigint AS paid_out,
           c.cover::bigint, c.cover >= coalesce(o.owed, 0) AS covered
         FROM rates r FULL JOIN money m USING (currency) FULL JOIN paid p USING (currency) CROSS JOIN wallet w CROSS JOIN houses h
           CROSS JOIN LATERAL (SELECT floor((w.balance + h.held) * r.rate / 10000)::bigint AS owed) o
           CROSS JOIN LATERAL (
             SELECT coalesce(m.received, 0) - coalesce(m.refunded, 0) - coalesce(p.paid_out, 0) AS cover) c
         ORDER BY currency`,
        [setting("earnings_maturing_days")],
      ),
    { isLong: true },
  );
