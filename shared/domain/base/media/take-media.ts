import type { MediaPurpose } from "#shared/contracts/views.ts";
import { alone } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { addressOfSize, type StoredCard } from "./media-card.ts";

/**
 * Returns the cards of a user's media for something that will show them, in the order of `ids`. They are kept for a day
 * from now, and as long as something shows them: the database counts that by the addresses in rows.
 * @throws NOT_FOUND if one isn't theirs, or for another purpose; CONFLICT if one isn't ready
 */
export async function takeMedia(userId: string, purpose: MediaPurpose, ids: readonly string[]): Promise<StoredCard[]> {
  if (ids.length === 0) return [];
  const rows = await alone<{ id: string; state: string; card: StoredCard | null }>(
    `UPDATE media SET unused_since = CASE WHEN uses = 0 THEN now() END
     WHERE id IN (SELECT id FROM media WHERE id = ANY ($1) AND user_id = $2 AND purpose = $3 ORDER BY id FOR UPDATE)
     RETURNING id, state, card`,
    [ids, userId, purpose],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    if (!row || row.state === "deleted")
      throw new DomainError("NOT_FOUND", "You have no such upload for this purpose.");
    if (row.state !== "ready" || !row.card) throw new DomainError("CONFLICT", "This upload isn't ready.");
    return row.card;
  });
}

/** Like `takeMedia` for one picture. Returns its address in a size. */
export async function takePicture(
  userId: string,
  purpose: MediaPurpose,
  id: string,
  size: "medium" | "large",
): Promise<string> {
  const [card] = await takeMedia(userId, purpose, [id]);
  return addressOfSize(card!, size);
}
