import type { Post } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { queryCursorPage, queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { type CursorPage, type CursorQuery, newestId, type Page, type PageQuery } from "#shared/kernel/page.ts";
import { shownPerson } from "./posts.policy.ts";
import { mostOfCursor, withPosts } from "./posts.queries.ts";

/** Number of posts that pages cover. A cursor continues to the very first post. */
export const feedDepth = 1000;

/**
 * Selects the ids of the `most` newest posts that the viewer ($1) can see, up to an id ($2): public ones from their own
 * index, and ones for followers from the index of each author whom the viewer follows (and of the viewer). Reads little
 * more than `most` index entries, plus one for each followed author, however many posts there are.
 */
const feedIds = (upTo: "<" | "<=", most: number): string => `SELECT id FROM (
    (SELECT p.id FROM posts p
     WHERE p.status = 'visible' AND p.visibility = 'public' AND p.id ${upTo} $2 AND ${shownPerson("p.author_id")}
     ORDER BY p.id DESC LIMIT ${most})
    UNION ALL
    (SELECT p.id
     FROM (SELECT $1::uuid AS id UNION ALL SELECT followed_id FROM user_follows WHERE follower_id = $1) author
       CROSS JOIN LATERAL (
         SELECT id FROM posts
         WHERE author_id = author.id AND status = 'visible' AND visibility = 'followers' AND id ${upTo} $2
         ORDER BY id DESC LIMIT ${most}
       ) p
     WHERE ${shownPerson("author.id")}
     ORDER BY p.id DESC LIMIT ${most})
  ) seen ORDER BY id DESC`;

export interface FeedPageQuery extends PageQuery {
  /** Counts pages from this post on, so that newer ones don't move them. */
  readonly as_of?: string;
}

/** A page of the feed, and the post that it and the next pages are counted from; null in an empty feed. */
export interface FeedPage extends Page<Post> {
  readonly as_of: string | null;
}

/** `newest`: the same post in each row, from which the pages are counted. */
const newestPosts = {
  with: `feed AS (${feedIds("<=", feedDepth)} LIMIT ${feedDepth})`,
  count: "SELECT count(*) FROM feed",
  rows: `SELECT id, (SELECT id FROM feed ORDER BY id DESC LIMIT 1) AS newest
    FROM feed ORDER BY id DESC LIMIT $3 OFFSET $4`,
};

const newestPost = `${feedIds("<=", 1)} LIMIT 1`;

const newestPostFor = async (viewerId: string): Promise<string | undefined> =>
  (await queryOne<{ id: string }>(newestPost, [viewerId, newestId]))?.id;

/**
 * Returns one page of the newest `feedDepth` posts that the viewer may see, newest first; `total` counts only those.
 */
export async function feedPage(viewerId: string, page: FeedPageQuery): Promise<FeedPage> {
  const upTo = page.as_of ?? newestId;
  const ids = await queryPage<{ id: string; newest: string }>(newestPosts, [viewerId, upTo], page, queryAnywhere);
  // A page past the end has no row that says it.
  const newest = ids.items[0]?.newest ?? (ids.total > 0 && !page.as_of ? await newestPostFor(viewerId) : undefined);
  return { ...(await withPosts(viewerId, ids)), as_of: page.as_of ?? newest ?? null };
}

const postsBefore = `${feedIds("<", mostOfCursor)} LIMIT $3`;

/** Returns the posts that follow `before`, newest first: later posts never move them. */
export async function feedAfter(viewerId: string, cursor: CursorQuery): Promise<CursorPage<Post>> {
  return withPosts(viewerId, await queryCursorPage<{ id: string }>(postsBefore, [viewerId], cursor, queryAnywhere));
}

export interface FeedQuery {
  readonly page: number;
  readonly limit?: number;
  readonly as_of?: string;
  readonly before?: string;
  /** Selects a list by cursor, from the newest post on. */
  readonly cursor?: string;
}

/** Returns the feed by cursor when `before` or `cursor` is given, otherwise by page. */
export function readFeed(
  viewerId: string,
  { page, limit, as_of, before, cursor }: FeedQuery,
): Promise<FeedPage | CursorPage<Post>> {
  if (before || cursor) return feedAfter(viewerId, { limit: limit ?? 50, ...(before && { before }) });
  return feedPage(viewerId, { page, limit: limit ?? 20, ...(as_of && { as_of }) });
}
