import type { Principal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { Removal, RemovalKind } from "#shared/contracts/views.ts";
import { countChanges } from "#shared/db/batches.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { jsonTime } from "#shared/domain/identity/sanctions/sanctions.queries.ts";
import { chosenLanguage } from "#shared/domain/identity/users/user-language.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { textOf } from "#shared/kernel/translate.ts";
import { RemovalModel } from "./removal.model.ts";

/** How long a removal can be appealed, and what it took out of a message is kept. */
export const appealDays = 30;

interface Removed {
  readonly user_id: string;
  readonly kind: RemovalKind;
  readonly content_id: string;
  readonly text: string;
  /** What the removal takes out, to bring it back. */
  readonly kept?: object;
}

/**
 * Step: records a removal, whose record the caller has locked; what is removed already has one. `told`: why, as the
 * user is told; by default, that it breaks the guidelines. Publishes `content.removed`.
 */
export async function recordRemoval(tx: Tx, by: Principal, removed: Removed, told?: string): Promise<void> {
  const { user_id, kind, content_id } = removed;
  const standing = await tx.query("SELECT 1 FROM removals WHERE content_id = $1 AND restored_at IS NULL", [content_id]);
  if (standing.length > 0) return;
  const id = newId();
  const reason = told || textOf((await chosenLanguage(user_id)) ?? "en", "notifications", "guidelines");
  await RemovalModel.insert(tx, { id, ...removed, reason, removed_by: by.kind === "admin" ? by.adminId : null });
  await tx.publish("content.removed", { user_id, removal_id: id, kind, reason });
}

/** Step: notes that something can be seen again. */
export async function noteRestored(tx: Tx, contentId: string): Promise<void> {
  await tx.query("UPDATE removals SET restored_at = now(), kept = NULL WHERE content_id = $1 AND restored_at IS NULL", [
    contentId,
  ]);
}

const columns = `r.id, r.kind, r.content_id, r.text, r.reason, r.created_at, r.restored_at,
  CASE WHEN a.id IS NOT NULL THEN json_build_object('id', a.id, 'text', a.text, 'status', a.status,
    'answer', a.answer, 'created_at', ${jsonTime("a.created_at")}, 'decided_at', ${jsonTime("a.decided_at")}) END AS appeal`;
const from = "FROM removals r LEFT JOIN appeals a ON a.id = r.appeal_id";

/** Returns what was removed of a user, the latest first. */
export const listOwnRemovals = ({ userId }: UserPrincipal): Promise<Removal[]> =>
  query<Removal>(`SELECT ${columns} ${from} WHERE r.user_id = $1 ORDER BY r.id DESC LIMIT 100`, [userId]);

/** Returns a removal as its user sees it. @throws NOT_FOUND */
export async function getRemoval(id: string, userId: string): Promise<Removal> {
  const row = await queryOne<Removal>(`SELECT ${columns} ${from} WHERE r.id = $1 AND r.user_id = $2`, [id, userId]);
  if (!row) throw new DomainError("NOT_FOUND");
  return row;
}

/** Step: empties what a user wrote that was removed. Returns how many rows. */
export const eraseRemovals = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    `UPDATE removals SET text = '', reason = '', kept = NULL
     WHERE user_id = $1 AND (text <> '' OR reason <> '' OR kept IS NOT NULL) RETURNING 1`,
  );

/** Forgets what can no longer come back, some at a time. Returns how many. Called by a job. */
export const pruneRemovals = (most = 500): Promise<number> =>
  inTransaction(async (tx) => {
    const pruned = await tx.query(
      `UPDATE removals SET kept = NULL WHERE id IN (
         SELECT r.id FROM removals r LEFT JOIN appeals a ON a.id = r.appeal_id
         WHERE r.kept IS NOT NULL AND r.created_at < now() - interval '${appealDays} days' AND a.status IS DISTINCT FROM 'open'
         LIMIT $1
       ) RETURNING 1`,
      [most],
    );
    return pruned.length;
  });
