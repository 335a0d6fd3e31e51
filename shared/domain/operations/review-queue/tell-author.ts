import type { RowOf } from "#shared/db/model.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { HeldContent } from "#shared/domain/base/filter/held-content.model.ts";

type Held = RowOf<typeof HeldContent>;

/** Step: tells an author what became of what they wrote. */
export const tellAuthor = (
  tx: Tx,
  { id, place, target_id, user_id }: Pick<Held, "id" | "place" | "target_id" | "user_id">,
  status: "released" | "rejected",
  content_id: string | null = null,
): Promise<void> => tx.publish("content.decided", { user_id, id, place, target_id, status, content_id });
