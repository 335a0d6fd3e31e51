import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import type { RecordId } from "#shared/domain/base/managed/managed-resource.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { countReview } from "./count-review.ts";
import { ManagedReviewModel, type ReviewStatus } from "./review.model.ts";

export type ReviewVerdict = "publish" | "hold" | "remove";

const verdicts: Record<ReviewVerdict, { readonly from: readonly ReviewStatus[]; readonly to: ReviewStatus }> = {
  publish: { from: ["held"], to: "published" },
  hold: { from: ["published"], to: "held" },
  remove: { from: ["held", "published"], to: "removed" },
};

/**
 * Publishes a held review, holds a published one, or removes one for good. The counters of the top-up change with it.
 * The author of a removed review can't write another one about the same top-up.
 * @throws NOT_FOUND, CONFLICT when its status doesn't allow this
 */
export async function moderateReview(
  principal: Principal,
  verdict: ReviewVerdict,
  { id, reason }: { readonly id: RecordId; readonly reason?: string | undefined },
): Promise<void> {
  const { from, to } = verdicts[verdict];
  await inTransaction(async (tx) => {
    // The top-up before its reviews, as wherever both change.
    const topUpId = await lockTopUpOf(tx, id);
    const before = await ManagedReviewModel.read({ id: Number(id) }, ["status", "rating"]);
    if (topUpId === undefined || !before) throw new DomainError("NOT_FOUND");
    if (!from.includes(before.status))
      throw new DomainError("CONFLICT", "You can only {{verdict}} a review that is {{statuses}}.", {
        values: { verdict, statuses: from.join(" or ") },
      });

    await tx.query(
      `UPDATE catalogue_reviews SET status = CASE WHEN $2 = 'published' THEN 1 ELSE 0 END, updated_at = now(),
         removed_at = CASE WHEN $2 = 'removed' THEN now() END
       WHERE id = $1`,
      [id, to],
    );
    await countReview(tx, topUpId, before.rating, to === "published" ? 1 : before.status === "published" ? -1 : 0);
    await tx.audit(principal, {
      action: `catalogue_review.${verdict}`,
      target: { type: "catalogue_review", id: String(id) },
      before: { status: before.status },
      after: { status: to },
      ...(reason !== undefined && { reason }),
    });
  });
}

/** Step: locks the top-up of a review, which serialises what changes its counters. */
async function lockTopUpOf(tx: Tx, reviewId: RecordId): Promise<number | undefined> {
  const [topUp] = await tx.query<{ id: number }>(
    `SELECT id FROM catalogue_top_ups WHERE id = (SELECT top_up_id FROM catalogue_reviews WHERE id = $1)
     FOR NO KEY UPDATE`,
    [reviewId],
  );
  return topUp?.id;
}
