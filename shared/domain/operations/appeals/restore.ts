import { service } from "#shared/contracts/principal.ts";
import { now, type RowOf } from "#shared/db/model.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { HeldContent } from "#shared/domain/base/filter/held-content.model.ts";
import { moderateStep } from "#shared/domain/social/posts/moderate.ts";
import type { RemovalModel } from "#shared/domain/social/removals/removal.model.ts";
import { noteRestored } from "#shared/domain/social/removals/removals.ts";
import { restoreMessage } from "../moderation/remove-message.ts";
import { restorePicture } from "../moderation/remove-pictures.ts";
import { releaseJob } from "../review-queue/release-content.ts";

/**
 * Step: brings back what was removed, as it was and in its place. What its author has deleted meanwhile, or what was
 * erased, stays away.
 */
export async function restore(tx: Tx, removal: RowOf<typeof RemovalModel>): Promise<void> {
  const { kind, content_id: id } = removal;
  if (kind === "post" || kind === "comment") await moderateStep(tx, service, "restore", { type: kind, id });
  else if (kind === "held") {
    const held = await HeldContent.lock(tx, { id }, ["status"]);
    if (held?.status === "rejected") {
      await HeldContent.change(tx, { id }, { status: "released", decided_at: now });
      await tx.enqueue(releaseJob, {});
    }
  } else if (kind === "picture") await restorePicture(tx, removal.user_id, removal.kept ?? {});
  else if (removal.kept) await restoreMessage(tx, kind, id, removal.kept);
  await noteRestored(tx, id);
}
