import type { Post } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { type CursorPage, offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";
import { shownPerson } from "./posts.policy.ts";
import { loadCursorPage, mostOfCursor, newest, postsOf } from "./posts.queries.ts";

/** So many of the newest posts are numbered in pages; a cursor goes on to the first one ever written. */
export const feedDepth = 1000;

/**
 * The ids of the `most` newest posts that the viewer ($1) may see, up to an id ($2): public ones, from the index of
 * those, and ones for followers, from the index of each author whom he follows (and of himself). Reads a little more
 * than `most` index entries and one for each author followed, however many posts there are.
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
  /** Counts pages from this post on, so that newer ones do not move them. */
  readonly as_of?: string;
}

/** One page of the newest `feedDepth` posts that the viewer may see, newest first; `total` counts no more than those. */
export async function feedPage(viewerId: string, page: FeedPageQuery): Promise<Page<Post>> {
  const row = await queryOne<{ total: number; ids: string[] }>(
    `WITH feed AS MATERIALIZED (${feedIds("<=", feedDepth)} LIMIT ${feedDepth})
     SELECT (SELECT count(*) FROM feed) AS total, ARRAY (SELECT id FROM feed ORDER BY id DESC LIMIT $3 OFFSET $4) AS ids`,
    [viewerId, page.as_of ?? newest, page.limit, offsetOf(page)],
  );
  return toPage(await postsOf(viewerId, row!.ids), row!.total, page);
}

/** The posts that come after `before`, newest first: those that are new meanwhile never move them. */
export async function feedAfter(
  viewerId: string,
  { before = newest, limit }: { before?: string; limit: number },
): Promise<CursorPage<Post>> {
  const rows = await query<{ id: string }>(`${feedIds("<", mostOfCursor)} LIMIT $3`, [viewerId, before, limit + 1]);
  return loadCursorPage(viewerId, rows, limit);
}
