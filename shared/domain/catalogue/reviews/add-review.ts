import type { KeyHolderPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction, violatedConstraint } from "#shared/db/transaction.ts";
import { customerOf } from "#shared/domain/catalogue/customers/customers.ts";
import { invalidForm, isRequired, labelOf } from "#shared/domain/catalogue/orders/form.ts";
import { isShown } from "#shared/domain/catalogue/products/catalogue-rows.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { countReview } from "./count-review.ts";

export interface ReviewForm {
  readonly topUpId: number;
  readonly rating: number;
  readonly comment: string;
}

const reviewedAlready = () => new DomainError("CONFLICT", "You have already reviewed this top-up.");

/**
 * Adds the caller's review of a top-up. It is published immediately if they have ordered the top-up, else held. Returns
 * whether it is published.
 * @throws VALIDATION_ERROR when there is no such top-up, CONFLICT when they have reviewed it before
 */
export async function addReview(
  caller: KeyHolderPrincipal,
  { topUpId, rating, comment }: ReviewForm,
): Promise<{ isPublished: boolean }> {
  return inTransaction(async (tx) => {
    const customerId = await customerOf(tx, caller.userId);
    // Serialises what changes the top-up's counters.
    const [topUp] = await tx.query<{ has_ordered: boolean }>(
      `SELECT EXISTS (
         SELECT 1 FROM catalogue_orders WHERE customer_id = $2 AND top_up_id = p.id AND status <> 'cancelled'
       ) AS has_ordered
       FROM catalogue_top_ups p WHERE id = $1 AND ${isShown} FOR NO KEY UPDATE`,
      [topUpId, customerId],
    );
    if (!topUp) throw invalidForm([{ field: "topUpId", message: isRequired(labelOf("topUpId")) }]);

    await tx.query(
      "INSERT INTO catalogue_reviews (top_up_id, customer_id, rating, comment, status) VALUES ($1, $2, $3, $4, $5)",
      [topUpId, customerId, rating, comment, topUp.has_ordered ? 1 : 0],
    );
    if (topUp.has_ordered) await countReview(tx, topUpId, rating, 1);
    return { isPublished: topUp.has_ordered };
  }).catch((error: unknown) => {
    throw violatedConstraint(error) === "catalogue_reviews_customer_key" ? reviewedAlready() : error;
  });
}
