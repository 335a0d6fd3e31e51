import { type Principal, service } from "#shared/contracts/principal.ts";
import type { RowOf } from "#shared/db/model.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { HeldContent } from "#shared/domain/base/filter/held-content.model.ts";
import type { HoldingPlace } from "#shared/domain/base/filter/places.ts";
import { recordRemoval } from "#shared/domain/social/removals/removals.ts";

type Held = RowOf<typeof HeldContent>;
type Told = Pick<Held, "id" | "place" | "target_id" | "user_id" | "text" | "reason">;

/** Step: tells an author what became of what they wrote. What `by` has rejected can be appealed. */
export async function tellAuthor(
  tx: Tx,
  { id, place, target_id, user_id, text, reason }: Told,
  status: "released" | "rejected",
  content_id: string | null = null,
  by: Principal = service,
): Promise<void> {
  const isRejected = status === "rejected";
  if (isRejected) await recordRemoval(tx, by, { user_id, kind: "held", content_id: id, text }, reason ?? undefined);
  await tx.publish("content.decided", {
    ...{ user_id, id, place: place as HoldingPlace, target_id, status, content_id },
    reason: isRejected ? reason : null,
  });
}
