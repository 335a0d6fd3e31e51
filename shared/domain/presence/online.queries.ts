import type { UserCard } from "#shared/contracts/views.ts";
import { pageOfCards, userCardJson } from "#shared/domain/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** The array keeps the planner from reading all users for the few who are online. */
const onlineUsers = {
  with: `online AS (
    SELECT u.id, u.id IN (SELECT followed_id FROM user_follows WHERE follower_id = $1) AS followed FROM users u
    WHERE u.id = ANY(ARRAY(SELECT user_id FROM online_users WHERE lease_until > now())) AND u.id <> $1
      AND u.status = 'active'
      AND coalesce((u.settings #>> '{privacy,show_online}')::boolean, true)
      AND u.id NOT IN (SELECT blocked_people($1))
  )`,
  count: "SELECT count(*) FROM online",
  rows: `SELECT ${userCardJson} AS card
    FROM (SELECT * FROM online ORDER BY followed DESC, id DESC LIMIT $2 OFFSET $3) o JOIN users u ON u.id = o.id
    ORDER BY o.followed DESC, o.id DESC`,
};

/**
 * Returns the others who are online and show it: those whom the viewer follows first, then the newest accounts. Leaves out
 * users who are blocked by the viewer or have blocked them.
 */
export const listOnline = (viewerId: string, page: PageQuery): Promise<Page<UserCard>> =>
  pageOfCards(onlineUsers, [viewerId], page);
