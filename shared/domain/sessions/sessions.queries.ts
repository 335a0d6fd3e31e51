import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { LoginSession } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";

/** The sessions of the caller that can still be used, the one used last first. */
export async function listSessions(caller: UserPrincipal, page: PageQuery): Promise<Page<LoginSession>> {
  const rows = await query<LoginSession & { total: number }>(
    `SELECT id, coalesce(user_agent, '') AS user_agent, coalesce(ip, '') AS ip, id = $2 AS is_current, created_at,
       last_used_at, least(expires_at, last_used_at + interval '30 days') AS expires_at, count(*) OVER () AS total
     FROM sessions
     WHERE user_id = $1 AND revoked_at IS NULL AND least(expires_at, last_used_at + interval '30 days') > now()
     ORDER BY last_used_at DESC, id DESC LIMIT $3 OFFSET $4`,
    [caller.userId, caller.sessionId, page.limit, offsetOf(page)],
  );
  const items = rows.map(({ total: _total, ...session }) => session);
  return toPage(items, rows[0]?.total ?? 0, page);
}
