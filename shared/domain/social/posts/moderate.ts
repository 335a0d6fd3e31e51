import type { Principal } from "#shared/contracts/principal.ts";
import type { ContentStatus } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { noteRestored, recordRemoval } from "#shared/domain/social/removals/removals.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

export type Content = "post" | "comment";

/** The actions on content: hide it, show it again, or remove it for good. */
export type Verdict = "hide" | "show" | "remove";

/** `restore`: what was removed by mistake comes back. Only an appeal does that. */
const verdicts: Record<Verdict | "restore", { readonly from: readonly ContentStatus[]; readonly to: ContentStatus }> = {
  hide: { from: ["visible"], to: "hidden" },
  show: { from: ["hidden"], to: "visible" },
  remove: { from: ["visible", "hidden"], to: "removed" },
  restore: { from: ["hidden", "removed"], to: "visible" },
};

/** SQL: the status of the comment `c`. */
export const commentStatus = `coalesce(c.moderation, CASE WHEN c.deleted_at IS NULL THEN 'visible' ELSE 'deleted' END)`;

/** SQL: the status of the post `p`. */
export const postStatus = `CASE WHEN p.deleted_at IS NULL THEN p.status ELSE 'deleted' END`;

/** `$1`: the ID, `$2`: the new status, `$3`: the reason, `$4`: the statuses that it may have. */
const changes: Record<Content, string> = {
  post: `UPDATE posts p SET status = $2, status_reason = $3
    FROM (SELECT status AS before FROM posts WHERE id = $1 FOR NO KEY UPDATE) was
    WHERE id = $1 AND ${postStatus} = ANY($4::text[]) RETURNING before, author_id, content`,
  comment: `UPDATE post_comments c SET status_reason = $3, moderation = nullif($2, 'visible'),
      deleted_at = CASE WHEN $2 <> 'visible' THEN coalesce(c.deleted_at, now()) END
    FROM (
      SELECT coalesce(moderation, 'visible') AS before, deleted_at IS NULL AS shown FROM post_comments
      WHERE id = $1 FOR NO KEY UPDATE
    ) was
    WHERE id = $1 AND ${commentStatus} = ANY($4::text[])
    RETURNING before, post_id, author_id AS user_id, content, (c.deleted_at IS NULL)::int - shown::int AS added`,
};

interface Moderated {
  readonly type: Content;
  readonly id: string;
  /** For administrators. */
  readonly reason?: string | undefined;
  /** What its author is told. */
  readonly told?: string | undefined;
}

interface Changed {
  readonly before: ContentStatus;
  readonly content: string;
  /** The author of a post. */
  readonly author_id?: string;
  readonly post_id?: string;
  /** The author of a comment. */
  readonly user_id?: string;
  /** The change in the number of visible comments. */
  readonly added?: number;
}

/**
 * Step: changes the status of a post or comment. What is hidden or removed no longer exists for any user, its author
 * included. Returns false if its status doesn't allow this. Publishes `post.deleted` or `post.comment_deleted` for what
 * is no longer shown.
 * @throws NOT_FOUND
 */
export async function moderateStep(
  tx: Tx,
  principal: Principal,
  verdict: Verdict | "restore",
  { type, id, reason, told }: Moderated,
): Promise<boolean> {
  const { from, to } = verdicts[verdict];
  // Posts are locked before their comments wherever both change.
  if (type === "comment")
    await tx.query(
      "SELECT 1 FROM posts WHERE id = (SELECT post_id FROM post_comments WHERE id = $1) FOR NO KEY UPDATE",
      [id],
    );
  const [changed] = await tx.query<Changed & Record<string, unknown>>(changes[type], [id, to, reason ?? null, from]);
  if (!changed) {
    const table = type === "post" ? "posts" : "post_comments";
    const found = await tx.query(`SELECT 1 FROM ${table} WHERE id = $1`, [id]);
    if (found.length === 0) throw new DomainError("NOT_FOUND");
    return false;
  }

  const { before, author_id, post_id, user_id, added = 0 } = changed;
  if (author_id && before === "visible") await tx.publish("post.deleted", { post_id: id, author_id });
  if (post_id && user_id && added !== 0) {
    const [post] = await tx.query<{ author_id: string }>(
      "UPDATE posts SET comments_count = comments_count + $2 WHERE id = $1 RETURNING author_id",
      [post_id, added],
    );
    if (added < 0)
      await tx.publish("post.comment_deleted", { post_id, comment_id: id, author_id: post!.author_id, user_id });
  }
  if (to === "visible") await noteRestored(tx, id);
  else
    await recordRemoval(
      tx,
      principal,
      { user_id: (author_id ?? user_id)!, kind: type, content_id: id, text: changed.content },
      told,
    );
  await tx.audit(principal, {
    action: `${type}.${verdict}`,
    target: { type, id },
    before: { status: before },
    after: { status: to },
    ...(reason !== undefined && { reason }),
  });
  return true;
}

/**
 * Hides, shows, or removes a post or comment. Only what is hidden can be shown again.
 * @throws NOT_FOUND, CONFLICT when its status doesn't allow this
 */
export async function moderate(principal: Principal, verdict: Verdict, content: Moderated): Promise<void> {
  await inTransaction(async (tx) => {
    if (await moderateStep(tx, principal, verdict, content)) return;
    const { from } = verdicts[verdict];
    throw new DomainError("CONFLICT", "You can only {{verdict}} a {{type}} that is {{statuses}}.", {
      values: { verdict, type: content.type, statuses: from.join(" or ") },
    });
  });
}
