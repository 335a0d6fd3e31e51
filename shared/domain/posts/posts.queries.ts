import type { Post } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { userCardJson } from "#shared/domain/users/user-cards.queries.ts";
import { type CursorPage, toCursorPage } from "#shared/kernel/page.ts";
import { noSuchPost } from "./posts.errors.ts";
import { accessAuthor, accessPost } from "./posts.policy.ts";

/** After every id; where a list begins when no cursor is given. */
export const newest = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** One more than a cursor list ever shows. A constant in the statements, so that the planner knows how few they need. */
export const mostOfCursor = 101;

/** Posts by id, newest first, as a viewer sees them who may see them; those removed meanwhile are left out. */
export async function postsOf(viewerId: string, ids: readonly string[]): Promise<Post[]> {
  if (ids.length === 0) return [];
  return query<Post>(
    `SELECT p.id, ${userCardJson} AS author, p.content, p.media, p.visibility, p.likes_count, p.comments_count,
       EXISTS (SELECT 1 FROM post_likes l WHERE l.post_id = p.id AND l.user_id = $1) AS liked_by_me, p.created_at
     FROM posts p JOIN users u ON u.id = p.author_id
     WHERE p.id = ANY ($2::uuid[]) AND p.status = 'visible' ORDER BY p.id DESC`,
    [viewerId, ids],
  );
}

/** One post. @throws NOT_FOUND */
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

/** What one person has posted, newest first, as far as the viewer may see it. @throws NOT_FOUND */
export async function listUserPosts(
  viewerId: string,
  authorId: string,
  { before = newest, limit }: { before?: string; limit: number },
): Promise<CursorPage<Post>> {
  await accessAuthor(viewerId, authorId);
  const follows = "($1 = $2 OR EXISTS (SELECT 1 FROM user_follows WHERE follower_id = $1 AND followed_id = $2))";
  const rows = await query<{ id: string }>(
    `SELECT id FROM (${ofAuthor("public", "true")} UNION ALL ${ofAuthor("followers", follows)}) own
     ORDER BY id DESC LIMIT $4`,
    [viewerId, authorId, before, limit + 1],
  );
  return loadCursorPage(viewerId, rows, limit);
}

/** Makes a page of `limit + 1` ids read. */
export async function loadCursorPage(
  viewerId: string,
  rows: { id: string }[],
  limit: number,
): Promise<CursorPage<Post>> {
  const { items, next_before } = toCursorPage(rows, limit);
  const ids = items.map(({ id }) => id);
  return { items: await postsOf(viewerId, ids), next_before };
}
