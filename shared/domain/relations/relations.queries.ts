import type { UserCard } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { userCardJson } from "#shared/domain/users/user-cards.queries.ts";
import { offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";

/** The lists show accounts that stand; who was added last comes first. */

export async function areFriends(userId: string, otherId: string): Promise<boolean> {
  const found = await queryOne("SELECT 1 FROM friendships WHERE user_id = $1 AND friend_id = $2", [userId, otherId]);
  return found !== undefined;
}

interface ListStatements {
  readonly count: string;
  readonly list: string;
}

/** `list`: a table of pairs, and which of its columns is the owner of the list (`$1`) and which the person on it (`u`). */
const listStatements = (list: { table: string; owner: string; person: string }): ListStatements => {
  const from = `FROM ${list.table} l JOIN users u ON u.id = l.${list.person}
    WHERE l.${list.owner} = $1 AND u.status = 'active'`;
  return {
    count: `SELECT count(*) AS total ${from}`,
    list: `SELECT ${userCardJson} AS card ${from} ORDER BY l.created_at DESC, l.${list.person} LIMIT $2 OFFSET $3`,
  };
};

const followers = listStatements({ table: "user_follows", owner: "followed_id", person: "follower_id" });
const following = listStatements({ table: "user_follows", owner: "follower_id", person: "followed_id" });
const friends = listStatements({ table: "friendships", owner: "user_id", person: "friend_id" });
const blocked = listStatements({ table: "user_blocks", owner: "blocker_id", person: "blocked_id" });

async function listOf({ count, list }: ListStatements, userId: string, page: PageQuery): Promise<Page<UserCard>> {
  const [counted, rows] = await Promise.all([
    queryOne<{ total: number }>(count, [userId]),
    query<{ card: UserCard }>(list, [userId, page.limit, offsetOf(page)]),
  ]);
  const cards = rows.map(({ card }) => card);
  return toPage(cards, counted?.total ?? 0, page);
}

export const listFollowers = (userId: string, page: PageQuery): Promise<Page<UserCard>> =>
  listOf(followers, userId, page);

export const listFollowing = (userId: string, page: PageQuery): Promise<Page<UserCard>> =>
  listOf(following, userId, page);

export const listFriends = (userId: string, page: PageQuery): Promise<Page<UserCard>> => listOf(friends, userId, page);

/** Whom somebody has blocked; whether they are online is not his to know. */
export async function listBlocked(userId: string, page: PageQuery): Promise<Page<UserCard>> {
  const found = await listOf(blocked, userId, page);
  return { ...found, items: found.items.map((card) => ({ ...card, is_online: false })) };
}
