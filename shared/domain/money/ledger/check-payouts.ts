import { query } from "#shared/db/query.ts";

/** Where the earnings of a payout are in each state; the user has those of the others. */
const houses = `(VALUES ('requested', 'payouts_held'), ('approved', 'payouts_held'), ('sent', 'payouts_sent'),
  ('settled', 'paid_out')) AS h (status, house)`;

/**
 * Checks that the earnings of each payout are where its state has them, by its steps, and that the house's accounts
 * hold what the payouts add up to.
 */
export async function checkPayouts(): Promise<string[]> {
  const misplaced = await query<{ id: string; status: string; house: string | null; held: number; amount: number }>(
    `WITH moved AS (
       SELECT payout_id, house, sum(sign) AS times FROM payout_steps
         CROSS JOIN LATERAL (VALUES (from_house, -1), (to_house, 1)) AS side (house, sign)
       WHERE house IS NOT NULL GROUP BY 1, 2 HAVING sum(sign) <> 0
     )
     SELECT p.id, p.status, coalesce(m.house, h.house) AS house, coalesce(m.times, 0)::integer AS held, p.amount
     FROM payouts p LEFT JOIN ${houses} ON h.status = p.status FULL JOIN moved m ON m.payout_id = p.id AND m.house = h.house
     WHERE p.id IS NULL OR (h.house IS NOT NULL AND m.times IS DISTINCT FROM 1) ORDER BY 1`,
  );
  const accounts = await query<{ house: string; held: number; due: number }>(
    `SELECT coalesce(e.house, d.house) AS house, coalesce(e.held, 0)::bigint AS held, coalesce(d.due, 0)::bigint AS due
     FROM (SELECT house, sum(amount) AS held FROM ledger_entries
         WHERE asset = 'earnings' AND house IN ('payouts_held', 'payouts_sent', 'paid_out') GROUP BY 1) e
       FULL JOIN (SELECT h.house, sum(p.amount) AS due FROM payouts p JOIN ${houses} ON h.status = p.status GROUP BY 1) d
         ON d.house = e.house
     WHERE coalesce(e.held, 0) <> coalesce(d.due, 0) ORDER BY 1`,
  );
  return [
    ...misplaced.map(({ id, status, house, held }) =>
      id
        ? `Payout ${id} is ${status}, but its earnings are not in ${house}.`
        : `Steps of a payout have left its earnings ${held} times in ${house}, where its state doesn't have them.`,
    ),
    ...accounts.map(
      ({ house, held, due }) =>
        `The house's account ${house} holds ${held} earnings, but the payouts there are ${due}.`,
    ),
  ];
}
