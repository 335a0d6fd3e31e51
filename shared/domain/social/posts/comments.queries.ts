import type { Comment } from "#shared/contracts/views.ts";
import { queryCursorPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { CursorPage, CursorQuery } from "#shared/kernel/page.ts";
import { accessPost, shownComments } from "./posts.policy.ts";
import { mostOfCursor } from "./posts.queries.ts";

/**
 * Returns the comments on a post, newest first. Leaves out users who have blocked the viewer or whom the viewer has
 * blocked. @throws NOT_FOUND
 */
export async function listComments(
  viewerId: string,
  postId: string,
  cursor: CursorQuery,
): Promise<CursorPage<Comment>> {
  await accessPost(viewerId, postId);
  return queryCursorPage<Comment>(
    `SELECT c.id, c.post_id, ${userCardJson} AS author, c.content, c.created_at
     FROM (
       SELECT c.* FROM ${shownComments("$2")} AND c.id < $3
       ORDER BY c.id DESC LIMIT ${mostOfCursor}
     ) c JOIN users u ON u.id = c.author_id
     ORDER BY c.id DESC LIMIT $4`,
    [viewerId, postId],
    cursor,
    queryAnywhere,
  );
}
