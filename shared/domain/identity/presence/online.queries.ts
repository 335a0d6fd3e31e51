import type { UserCard } from "#shared/contracts/views.ts";
import type { PagedStatement } from "#shared/db/query-page.ts";
import { hiddenFrom } from "#shared/domain/identity/sessions/age-protections.ts";
import { pageOfCards, userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** How many online users the list has at most: a longer list is never paged to its end. */
export const onlineMax = 1000;

const isShown = () => `u.id <> $1 AND u.status = 'active' AND NOT u.is_guest
  AND coalesce((u.settings #>> '{privacy,show_online}')::boolean, true)
  AND u.id NOT IN (SELECT blocked_people($1)) AND NOT ${hiddenFrom("$1")}`;

/**
 * A user whom several processes connect has as many rows; the union below keeps one. Each user is looked up, in the
 * order of those who are online: a join would read all of them.
 */
const shownUser = () =>
  `CROSS JOIN LATERAL (SELECT u.id FROM users u WHERE u.id = o.user_id AND ${isShown()} OFFSET 0) u`;

const onlineUsers = (shown = shownUser()): PagedStatement => ({
  with: `followed AS (
    SELECT o.user_id FROM user_follows f JOIN online_users o ON o.user_id = f.followed_id ${shown}
    WHERE f.follower_id = $1 AND o.lease_until > now() LIMIT ${onlineMax}
  ), newest AS (
    SELECT o.user_id FROM online_users o ${shown}
    WHERE o.lease_until > now() AND o.user_id NOT IN (SELECT user_id FROM followed)
    ORDER BY o.user_id DESC LIMIT ${onlineMax}
  ), online AS (
    SELECT user_id AS id, true AS followed FROM followed UNION SELECT user_id, false FROM newest
    ORDER BY followed DESC, id DESC LIMIT ${onlineMax}
  )`,
  count: "SELECT count(*) FROM online",
  rows: `SELECT ${userCardJson} AS card
    FROM (SELECT * FROM online ORDER BY followed DESC, id DESC LIMIT $2 OFFSET $3) o JOIN users u ON u.id = o.id
    ORDER BY o.followed DESC, o.id DESC`,
});

/**
 * Returns the others who are online and show it: those whom the viewer follows first, then the newest accounts. Leaves
 * out guests, users who are blocked by the viewer or have blocked them, and minors whom the settings hide from search,
 * except from their friends. Has at most `onlineMax` of them, and counts no further.
 */
export const listOnline = (viewerId: string, page: PageQuery): Promise<Page<UserCard>> =>
  pageOfCards(onlineUsers(), [viewerId], page);
