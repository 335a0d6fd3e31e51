import type { AppealDetails } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { jsonTime, sanctionStatus } from "#shared/domain/identity/sanctions/sanctions.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { getQueuedReview } from "../review-queue/review-queue.queries.ts";

/** SQL: the review that the sanction `s`, or the removal `r`, of the appeal `a` came from. */
const review = `coalesce(s.report_id,
  (SELECT h.id FROM held_content h WHERE h.user_id = a.user_id AND r.content_id IN (h.id, h.content_id)
   ORDER BY h.id DESC LIMIT 1),
  (SELECT o.id FROM reports o WHERE o.target_user_id = a.user_id AND o.action IN ('hide', 'remove')
     AND (o.target_id = r.content_id OR (r.kind = 'picture' AND o.target_type = 'user' AND o.closed_at = r.created_at))
   ORDER BY o.id DESC LIMIT 1))`;

/** Returns what an appeal is about, with its evidence. @throws NOT_FOUND */
export async function getAppealDetails(id: string): Promise<AppealDetails> {
  const found = await queryOne<Omit<AppealDetails, "review"> & { review_id: string | null }>(
    `SELECT a.id, ${review} AS review_id,
       CASE WHEN s.id IS NOT NULL THEN jsonb_build_object('kinds', s.kinds, 'until', ${jsonTime("s.until")}, 'reason', s.reason,
         'status', ${sanctionStatus}, 'suspends', s.suspends, 'created_by', s.created_by,
         'created_at', ${jsonTime("s.created_at")}) END AS sanction,
       CASE WHEN r.id IS NOT NULL THEN jsonb_build_object('kind', r.kind, 'content_id', r.content_id, 'text', r.text,
         'reason', r.reason, 'created_by', r.removed_by, 'created_at', ${jsonTime("r.created_at")}) END AS removal
     FROM appeals a LEFT JOIN sanctions s ON s.id = a.sanction_id LEFT JOIN removals r ON r.id = a.removal_id
     WHERE a.id = $1`,
    [id],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  const { review_id, ...appeal } = found;
  return { ...appeal, review: review_id === null ? null : await getQueuedReview(review_id) };
}
