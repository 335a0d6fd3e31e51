import type { UserCard } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import type { PagedStatement } from "#shared/db/query-page.ts";
import { followCount, isActiveId, shownFollows } from "#shared/domain/identity/users/relation-columns.ts";
import { pageOfCards, userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** The lists show active accounts, most recently added first. */

export async function areFriends(userId: string, otherId: string): Promise<boolean> {
  const found = await queryOne("SELECT 1 FROM friendships WHERE user_id = $1 AND friend_id = $2", [userId, otherId]);
  return found !== undefined;
}

interface List {
  /** Selects the pairs `l` of the user `$1`. */
  readonly pairs: string;
  /** The column of a pair with the user who is listed. */
  readonly listed: string;
  readonly count: string;
}

const listStatement = ({ pairs, listed, count }: List): PagedStatement => ({
  count,
  rows: `SELECT ${userCardJson} AS card
    FROM (SELECT l.* FROM ${pairs} ORDER BY l.created_at DESC, l.${listed} LIMIT $2 OFFSET $3) l
      JOIN users u ON u.id = l.${listed} ORDER BY l.created_at DESC, l.${listed}`,
});

/** The total is the count that profiles show. */
const followStatement = (listed: "follower_id" | "followed_id"): PagedStatement =>
  listStatement({
    pairs: shownFollows("$1", listed),
    listed,
    count: `SELECT ${followCount("$1", listed, "n")} FROM (SELECT) one LEFT JOIN user_counters n ON n.user_id = $1`,
  });

/** `table` holds pairs: in the column `owner` is whose list it is, in `listed` who is on it. */
function pairStatement(table: string, { owner, listed }: { owner: string; listed: string }): PagedStatement {
  const pairs = `${table} l WHERE l.${owner} = $1 AND ${isActiveId(`l.${listed}`)}`;
  return listStatement({ pairs, listed, count: `SELECT count(*) FROM ${pairs}` });
}

const followers = followStatement("follower_id");
const following = followStatement("followed_id");
const friends = pairStatement("friendships", { owner: "user_id", listed: "friend_id" });
const blocked = pairStatement("user_blocks", { owner: "blocker_id", listed: "blocked_id" });

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
