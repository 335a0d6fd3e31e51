import type { UserCard } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import type { PagedStatement } from "#shared/db/query-page.ts";
import { pageOfCards, userCardJson } from "#shared/domain/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** The lists show active accounts, most recently added first. */

export async function areFriends(userId: string, otherId: string): Promise<boolean> {
  const found = await queryOne("SELECT 1 FROM friendships WHERE user_id = $1 AND friend_id = $2", [userId, otherId]);
  return found !== undefined;
}

/** `table` holds pairs: in the column `owner` is whose list it is (`$1`), in `listed` who is on it (`u`). */
function listStatement(table: string, { owner, listed }: { owner: string; listed: string }): PagedStatement {
  const from = `FROM ${table} l JOIN users u ON u.id = l.${listed} WHERE l.${owner} = $1 AND u.status = 'active'`;
  return {
    count: `SELECT count(*) ${from}`,
    rows: `SELECT ${userCardJson} AS card ${from} ORDER BY l.created_at DESC, l.${listed} LIMIT $2 OFFSET $3`,
  };
}

const followers = listStatement("user_follows", { owner: "followed_id", listed: "follower_id" });
const following = listStatement("user_follows", { owner: "follower_id", listed: "followed_id" });
const friends = listStatement("friendships", { owner: "user_id", listed: "friend_id" });
const blocked = listStatement("user_blocks", { owner: "blocker_id", listed: "blocked_id" });

const listOf =
  (statement: PagedStatement) =>
  (userId: string, page: PageQuery): Promise<Page<UserCard>> =>
    pageOfCards(statement, [userId], page);

export const listFollowers = listOf(followers);
export const listFollowing = listOf(following);
export const listFriends = listOf(friends);

/** Returns the users that a user has blocked. The card of a blocked user never shows them online. */
export async function listBlocked(userId: string, page: PageQuery): Promise<Page<UserCard>> {
  const found = await pageOfCards(blocked, [userId], page);
  return { ...found, items: found.items.map((card) => ({ ...card, is_online: false })) };
}
