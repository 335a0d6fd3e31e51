import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { LoginSession } from "#shared/contracts/views.ts";
import { queryPage } from "#shared/db/query-page.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/**
 * SQL: how a session was opened. A release that recorded no way knew only passwords. The prefix tells an operator's
 * provider from a way of ours.
 */
export const sessionWay = `CASE WHEN way IN ('password', 'google', 'apple', 'facebook', 'phone', 'guest') THEN way
  ELSE coalesce('oidc:' || way, 'password') END AS way`;

const usableSessions = {
  with: `usable AS (
    SELECT id, coalesce(user_agent, '') AS user_agent, coalesce(ip, '') AS ip, ${sessionWay}, id = $2 AS is_current, created_at,
      last_used_at, least(expires_at, last_used_at + interval '30 days') AS expires_at
    FROM sessions
    WHERE user_id = $1 AND revoked_at IS NULL AND least(expires_at, last_used_at + interval '30 days') > now()
  )`,
  count: "SELECT count(*) FROM usable",
  rows: "SELECT * FROM usable ORDER BY last_used_at DESC, id DESC LIMIT $3 OFFSET $4",
};

/** Returns the caller's sessions that can still be used, the most recently used first. */
export const listSessions = ({ userId, sessionId }: UserPrincipal, page: PageQuery): Promise<Page<LoginSession>> =>
  queryPage<LoginSession>(usableSessions, [userId, sessionId], page);
