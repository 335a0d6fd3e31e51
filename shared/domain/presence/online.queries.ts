import type { UserCard } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { userCardJson } from "#shared/domain/users/user-cards.queries.ts";
import { offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";

/**
 * Who else is online and shows it: those whom the viewer follows first, then the newest accounts. Without those with whom
 * he has nothing to do. The array keeps the planner from reading all users for the few who are online.
 */
export async function listOnline(viewerId: string, page: PageQuery): Promise<Page<UserCard>> {
  const found = await queryOne<{ items: UserCard[]; total: number }>(
    `SELECT count(*) AS total,
       coalesce(json_agg(${userCardJson} ORDER BY u.place) FILTER (WHERE u.place > $3 AND u.place <= $3 + $2), '[]') AS items
     FROM (
       SELECT u.*, row_number() OVER (
         ORDER BY u.id IN (SELECT followed_id FROM user_follows WHERE follower_id = $1) DESC, u.id DESC
       ) AS place
       FROM users u
       WHERE u.id = ANY(ARRAY(SELECT user_id FROM online_users WHERE lease_until > now())) AND u.id <> $1
         AND u.status = 'active'
         AND coalesce((u.settings #>> '{privacy,show_online}')::boolean, true)
         AND u.id NOT IN (SELECT blocked_people($1))
     ) u`,
    [viewerId, page.limit, offsetOf(page)],
  );
  return toPage(found?.items ?? [], found?.total ?? 0, page);
}
