import type { Report } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";

/** A target of a report: its owner, and the copy of it that administrators see later. */
export interface Evidence {
  readonly user_id: string;
  readonly evidence: object;
}

/** Whether the reporter can see the post `p`, apart from blocks. */
const seenPost = `p.status = 'visible' AND (p.visibility = 'public' OR p.author_id = $1
  OR EXISTS (SELECT 1 FROM user_follows WHERE follower_id = $1 AND followed_id = p.author_id))`;

/** What a message said before it was edited, in order. */
const earlier = `(SELECT coalesce(json_agg(e.body ORDER BY e.edited_at), '[]') FROM message_edits e
  WHERE e.message_id = $2)`;

/**
 * Finds the target ($1: the reporter, $2: the id of the target). Ignores blocks, so that insulting a user and then
 * blocking them does not prevent a report. Messages of a room can be reported after leaving it, and after their
 * deletion.
 */
const statements: Record<Report["target_type"], string> = {
  user: `SELECT id AS user_id, json_build_object('username', username, 'full_name', full_name, 'bio', bio,
      'avatar_url', avatar_url, 'cover_url', cover_url) AS evidence
    FROM users WHERE id = $2 AND status <> 'deleted' AND $1::uuid IS NOT NULL`,
  room: `SELECT host_id AS user_id, json_build_object('name', name, 'category', category, 'language', language,
      'description', description, 'is_private', is_private, 'status', status) AS evidence
    FROM rooms WHERE id = $2 AND $1::uuid IS NOT NULL`,
  message: `SELECT user_id, json_build_object('room_id', room_id, 'body', body, 'created_at', created_at,
      'deleted', deleted_at IS NOT NULL, 'kind', kind, 'media', media, 'earlier', ${earlier}) AS evidence
    FROM room_messages m WHERE id = $2 AND kind <> 'system'
    UNION ALL
    SELECT d.sender_id, json_build_object('conversation_id', d.conversation_id, 'body', d.body,
      'attachment_url', d.attachment_url, 'created_at', d.created_at, 'kind', d.kind, 'media', d.media,
      'earlier', ${earlier})
    FROM direct_messages d JOIN conversation_members m ON m.conversation_id = d.conversation_id AND m.user_id = $1
    WHERE d.id = $2`,
  post: `SELECT p.author_id AS user_id, json_build_object('content', p.content, 'media', p.media,
      'visibility', p.visibility, 'created_at', p.created_at) AS evidence
    FROM posts p WHERE p.id = $2 AND ${seenPost}`,
  comment: `SELECT c.author_id AS user_id, json_build_object('post_id', c.post_id, 'content', c.content,
      'created_at', c.created_at) AS evidence
    FROM post_comments c JOIN posts p ON p.id = c.post_id
    WHERE c.id = $2 AND c.deleted_at IS NULL AND ${seenPost}`,
};

/** Returns undefined when the target does not exist, or the reporter can't have seen it. */
export function findEvidence(
  reporterId: string,
  target: Pick<Report, "target_type" | "target_id">,
): Promise<Evidence | undefined> {
  return queryOne<Evidence>(statements[target.target_type], [reporterId, target.target_id]);
}
