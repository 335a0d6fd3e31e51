import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { MediaModel } from "./media.model.ts";
import { auditUpload, noSuchMedia, ownerOf, type Uploader } from "./media.queries.ts";
import { removeLater } from "./remove-media.ts";

/**
 * Deletes what the caller has uploaded. Its bytes count for their day nevertheless.
 * @throws NOT_FOUND, CONFLICT while something shows it
 */
export async function deleteMedia(caller: Uploader, id: string): Promise<void> {
  await inTransaction(async (tx) => {
    const row = await MediaModel.lock(tx, { id, user_id: ownerOf(caller) }, ["state", "uses", "purpose"]);
    if (!row || row.state === "deleted") throw noSuchMedia();
    if (row.uses > 0) throw new DomainError("CONFLICT", "This is shown somewhere. Remove it from there first.");
    await MediaModel.change(tx, { id }, { state: "deleted", card: null, name: null });
    await auditUpload(tx, caller, "media.delete", id, { purpose: row.purpose });
    await removeLater(tx, id);
  });
}
