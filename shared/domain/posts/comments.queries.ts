import type { Comment } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { userCardJson } from "#shared/domain/users/user-cards.queries.ts";
import { type CursorPage, toCursorPage } from "#shared/kernel/page.ts";
import { accessPost, shownPerson } from "./posts.policy.ts";
import { mostOfCursor, newest } from "./posts.queries.ts";

/** Comments on a post, newest first, without those of people with whom the viewer has nothing to do. @throws NOT_FOUND */
export async function listComments(
  viewerId: string,
  postId: string,
  { before = newest, limit }: { before?: string; limit: number },
): Promise<CursorPage<Comment>> {
  await accessPost(viewerId, postId);
  const rows = await query<Comment>(
    `SELECT c.id, c.post_id, ${userCardJson} AS author, c.content, c.created_at
     FROM (
       SELECT * FROM post_comments
       WHERE post_id = $2 AND deleted_at IS NULL AND id < $3 AND ${shownPerson("author_id")}
       ORDER BY id DESC LIMIT ${mostOfCursor}
     ) c JOIN users u ON u.id = c.author_id
     ORDER BY c.id DESC LIMIT $4`,
    [viewerId, postId, before, limit + 1],
  );
  return toCursorPage(rows, limit);
}
