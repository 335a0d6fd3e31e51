import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { Media } from "#shared/contracts/views.ts";
import type { RowOf } from "#shared/db/model.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { MediaModel } from "./media.model.ts";
import { toMediaCard } from "./media-card.ts";

/** Who uploads: a user, or any administrator, since what they upload is the service's. */
export type Uploader = UserPrincipal | AdminPrincipal;

export const noSuchMedia = () => new DomainError("NOT_FOUND", "This upload doesn't exist.");

/** Returns the owner of what someone uploads: null for the service. */
export const ownerOf = (caller: Uploader): string | null => (caller.kind === "user" ? caller.userId : null);

/** Step: writes what an administrator does with an upload to the audit log. */
export async function auditUpload(
  tx: Tx,
  caller: Uploader,
  action: "media.announce" | "media.complete" | "media.delete",
  id: string,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (caller.kind !== "admin") return;
  const change = action === "media.delete" ? { before: facts } : { after: facts };
  await tx.audit(caller, { action, target: { type: "media", id }, ...change });
}

export function toMedia({ id, purpose, state, reason, card, created_at }: RowOf<typeof MediaModel>): Media {
  if (state === "deleted") throw noSuchMedia();
  return { id, purpose, state, reason, media: card && toMediaCard(card), created_at };
}

/** Whether the bytes of an upload may still come: what comes later would be stored, and read by no one. */
export const isAwaited = async (id: string): Promise<boolean> =>
  (await MediaModel.read({ id, state: "pending" }, ["id"])) !== undefined;

/** Returns an upload, for its owner. */
export async function findMedia(id: string): Promise<Media | undefined> {
  const row = await MediaModel.read({ id });
  return row && row.state !== "deleted" ? toMedia(row) : undefined;
}

/** Returns what the caller has uploaded. @throws NOT_FOUND */
export async function getMedia(caller: Uploader, id: string): Promise<Media> {
  const row = await MediaModel.read({ id, user_id: ownerOf(caller) });
  if (!row) throw noSuchMedia();
  return toMedia(row);
}
