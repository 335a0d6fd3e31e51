import { query } from "#shared/db/query.ts";

/**
 * Checks that each approved adjustment of a balance has its grant of coins, by the administrator who applied it, and
 * that administrators have granted no coins without one.
 */
export async function checkAdjustments(): Promise<string[]> {
  const broken = await query<{ id: string; asked: boolean; granted: boolean }>(
    `SELECT coalesce(a.id, g.id) AS id, a.id IS NOT NULL AS asked, g.id IS NOT NULL AS granted
     FROM (SELECT * FROM balance_adjustments WHERE status = 'approved' AND asset = 'coins') a
       FULL JOIN (SELECT * FROM coin_grants WHERE kind = 'adjustment' AND principal_kind = 'admin') g ON g.id = a.id
     WHERE (a.user_id, a.amount::bigint, a.reason, coalesce(a.decided_by, a.requested_by), a.decided_at)
       IS DISTINCT FROM (g.user_id, g.coins::bigint, g.reason, g.principal_id, g.created_at)
     ORDER BY 1`,
  );
  return broken.map(({ id, asked, granted }) => {
    if (!asked) return `An administrator has granted the coins of ${id} without an approved adjustment.`;
    return `Adjustment ${id} is approved, but its coins were ${granted ? "granted otherwise" : "not granted"}.`;
  });
}
