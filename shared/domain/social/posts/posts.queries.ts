import type { Post } from "#shared/contracts/views.ts";
import { queryCursorPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { shownCount } from "#shared/domain/identity/users/shown-count.ts";
import { userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { CursorPage, CursorQuery } from "#shared/kernel/page.ts";
import { noSuchPost } from "./posts.errors.ts";
import { accessAuthor, accessPost, shownComments } from "./posts.policy.ts";

/**
 * One more than a cursor list ever shows. A constant in the statements, so that the planner knows how few rows they
 * need.
 */
export const mostOfCursor = 101;

/**
 * Up to this many comments of a post, its count leaves out those that the viewer can't see. A page has up to 100 posts.
 */
const exactCommentsMax = 100;
const commentsCount = shownCount("p.comments_count", shownComments("p.id"), exactCommentsMax);

/**
 * Returns posts by id, newest first, as a viewer sees them who can see them. Leaves out those deleted in the meantime.
 */
export async function postsOf(viewerId: string, ids: readonly string[]): Promise<Post[]> {
  if (ids.length === 0) return [];
  return queryAnywhere<Post>(
    `SELECT p.id, ${userCardJson} AS author, p.content, p.media, p.visibility, p.likes_count,
       ${commentsCount} AS comments_count,
       EXISTS (SELECT 1 FROM post_likes l WHERE l.post_id = p.id AND l.user_id = $1) AS liked_by_me, p.created_at
     FROM posts p JOIN users u ON u.id = p.author_id
     WHERE p.id = ANY ($2::uuid[]) AND p.status = 'visible' ORDER BY p.id DESC`,
    [viewerId, ids],
  );
}

/** Returns one post. @throws NOT_FOUND */
export async function getPost(viewerId: string, postId: string): Promise<Post> {
  await accessPost(viewerId, postId);
  const [post] = await postsOf(viewerId, [postId]);
  if (!post) throw noSuchPost();
  return post;
}

const ofAuthor = (visibility: "public" | "followers", condition: string) => `(
  SELECT id FROM posts
  WHERE author_id = $2 AND status = 'visible' AND visibility = '${visibility}' AND id < $3 AND ${condition}
  ORDER BY id DESC LIMIT ${mostOfCursor})`;

/** Returns the posts of one user that the viewer can see, newest first. @throws NOT_FOUND */
export async function listUserPosts(
  viewerId: string,
  authorId: string,
  cursor: CursorQuery,
): Promise<CursorPage<Post>> {
  await accessAuthor(viewerId, authorId);
  const follows = "($1 = $2 OR EXISTS (SELECT 1 FROM user_follows WHERE follower_id = $1 AND followed_id = $2))";
  const ids = await queryCursorPage<{ id: string }>(
    `SELECT id FROM (${ofAuthor("public", "true")} UNION ALL ${ofAuthor("followers", follows)}) own
     ORDER BY id DESC LIMIT $4`,
    [viewerId, authorId],
    cursor,
    queryAnywhere,
  );
  return withPosts(viewerId, ids);
}

/** Returns the same page or cursor list with the posts in place of their ids. */
export async function withPosts<List extends { items: { id: string }[] }>(
  viewerId: string,
  list: List,
): Promise<Omit<List, "items"> & { items: Post[] }> {
  const ids = list.items.map(({ id }) => id);
  return { ...list, items: await postsOf(viewerId, ids) };
}
