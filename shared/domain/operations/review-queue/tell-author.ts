import type { RowOf } from "#shared/db/model.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { HeldContent } from "#shared/domain/base/filter/held-content.model.ts";
import type { HoldingPlace } from "#shared/domain/base/filter/places.ts";

type Held = RowOf<typeof HeldContent>;

/** Step: tells an author what became of what they wrote. */
export const tellAuthor = (
  tx: Tx,
  { id, place, target_id, user_id, reason }: Pick<Held, "id" | "place" | "target_id" | "user_id" | "reason">,
  status: "released" | "rejected",
  content_id: string | null = null,
): Promise<void> =>
  tx.publish("content.decided", {
    user_id,
    id,
    place: place as HoldingPlace,
    target_id,
    status,
    content_id,
    reason: status === "rejected" ? reason : null,
  });
