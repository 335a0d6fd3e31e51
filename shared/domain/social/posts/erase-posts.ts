import type { Tx } from "#shared/db/transaction.ts";

const batch = 500;

/**
 * Step: erases the posts, comments and likes of a user, with the counters of other users' posts, in batches. Comments
 * on their posts become invisible with them. Returns the number of rows.
 */
export async function erasePosts(tx: Tx, userId: string): Promise<number> {
  const posts = await tx.query(
    `UPDATE posts SET content = '', media = '[]', status = 'removed', deleted_at = coalesce(deleted_at, now())
     WHERE id IN (SELECT id FROM posts WHERE author_id = $1 AND (content <> '' OR media <> '[]') LIMIT $2) RETURNING 1`,
    [userId, batch],
  );
  return posts.length + (await eraseComments(tx, userId)) + (await eraseLikes(tx, userId));
}

async function eraseComments(tx: Tx, userId: string): Promise<number> {
  const some = await tx.query<{ id: string; post_id: string }>(
    "SELECT id, post_id FROM post_comments WHERE author_id = $1 AND (content <> '' OR deleted_at IS NULL) LIMIT $2",
    [userId, batch],
  );
  await lockPosts(tx, some);
  await tx.query(
    `WITH shown AS (
       SELECT id, post_id FROM post_comments WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL
     ), emptied AS (
       UPDATE post_comments SET content = '', deleted_at = coalesce(deleted_at, now()),
         moderation = CASE WHEN moderation IS NOT NULL THEN 'removed' END
       WHERE id = ANY($1::uuid[])
     )
     UPDATE posts p SET comments_count = p.comments_count - gone.count
     FROM (SELECT post_id, count(*) FROM shown GROUP BY post_id) AS gone WHERE p.id = gone.post_id`,
    [some.map(({ id }) => id)],
  );
  return some.length;
}

async function eraseLikes(tx: Tx, userId: string): Promise<number> {
  const some = await tx.query<{ post_id: string }>("SELECT post_id FROM post_likes WHERE user_id = $1 LIMIT $2", [
    userId,
    batch,
  ]);
  await lockPosts(tx, some);
  await tx.query(
    `WITH gone AS (
       DELETE FROM post_likes WHERE user_id = $1 AND post_id = ANY($2::uuid[]) RETURNING post_id
     )
     UPDATE posts p SET likes_count = p.likes_count - 1 FROM gone WHERE p.id = gone.post_id`,
    [userId, some.map(({ post_id }) => post_id)],
  );
  return some.length;
}

/** Those who write likes or comments lock the post's row, so that counters change together with the rows they count. */
async function lockPosts(tx: Tx, rows: readonly { post_id: string }[]): Promise<void> {
  await tx.query("SELECT 1 FROM posts WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE", [
    rows.map(({ post_id }) => post_id),
  ]);
}
