import { queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { assertNotBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { noSuchComment, noSuchPost } from "./posts.errors.ts";

/**
 * Returns a condition for lists on a column with a user's id: the account is active, and no block stands between the
 * user and the viewer ($1). The status has a subquery of its own: for a join, the planner sometimes hashes all users.
 */
export const shownPerson = (column: string): string => `(SELECT status FROM users WHERE id = ${column}) = 'active'
  AND ${column} NOT IN (SELECT person FROM blocked_people($1) AS person)`;

/** The comments on a post that the viewer ($1) can see, as `c`. */
export const shownComments = (postId: string): string =>
  `post_comments c WHERE c.post_id = ${postId} AND c.deleted_at IS NULL AND ${shownPerson("c.author_id")}`;

/**
 * The one statement that defines who can see a post ($1: the viewer, $2: the post). Lists apply the same rule to many
 * posts.
 */
const seenPost = `SELECT p.id, p.author_id FROM posts p JOIN users u ON u.id = p.author_id
  WHERE p.id = $2 AND p.status = 'visible' AND u.status = 'active'
    AND (p.visibility = 'public' OR p.author_id = $1
      OR EXISTS (SELECT 1 FROM user_follows WHERE follower_id = $1 AND followed_id = p.author_id))
    AND NOT is_blocked_between($1, p.author_id)`;

export interface SeenPost {
  readonly id: string;
  readonly author_id: string;
}

/** Loads a post that the viewer can see. @throws NOT_FOUND */
export async function accessPost(viewerId: string, postId: string): Promise<SeenPost> {
  const post = await queryOne<SeenPost>(seenPost, [viewerId, postId]);
  if (!post) throw noSuchPost();
  return post;
}

/**
 * Step: the same, and locks the post, its counters and its likes until the transaction ends. Later reads in the
 * transaction see everything that was committed before.
 * @throws NOT_FOUND
 */
export async function accessPostToChange(tx: Tx, viewerId: string, postId: string): Promise<SeenPost> {
  const [post] = await tx.query<SeenPost>(`${seenPost} FOR NO KEY UPDATE OF p`, [viewerId, postId]);
  if (!post) throw noSuchPost();
  return post;
}

/** Throws unless the viewer can see a comment: the comment, its post, and its author. @throws NOT_FOUND */
export async function accessComment(viewerId: string, postId: string, commentId: string): Promise<void> {
  await accessPost(viewerId, postId);
  const comment = await queryOne(
    `SELECT 1 FROM post_comments c JOIN users u ON u.id = c.author_id
     WHERE c.id = $3 AND c.post_id = $2 AND c.deleted_at IS NULL AND u.status = 'active'
       AND NOT is_blocked_between($1, c.author_id)`,
    [viewerId, postId, commentId],
  );
  if (!comment) throw noSuchComment();
}

/** Throws unless the viewer can see an author's posts at all. @throws NOT_FOUND, BLOCKED */
export async function accessAuthor(viewerId: string, authorId: string): Promise<void> {
  const author = await queryOne("SELECT 1 FROM users WHERE id = $1 AND status = 'active'", [authorId]);
  if (!author) throw new DomainError("NOT_FOUND");
  await assertNotBlocked("person", viewerId, authorId);
}
