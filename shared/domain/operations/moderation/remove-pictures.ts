import type { Principal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { recordRemoval } from "#shared/domain/social/removals/removals.ts";
import { newId } from "#shared/kernel/ids.ts";

const pictures = ["avatar_url", "cover_url"] as const;

/**
 * Step: takes the pictures from a user's profile; each can be appealed. Returns false if there are none. Publishes
 * `user.card_changed`.
 */
export async function removePictures(tx: Tx, principal: Principal, userId: string, told?: string): Promise<boolean> {
  const user = await User.lock(tx, { id: userId }, ["avatar_url", "cover_url"]);
  const shown = pictures.filter((name) => user?.[name]);
  if (!user || shown.length === 0) return false;
  for (const name of shown)
    await recordRemoval(
      tx,
      principal,
      // A picture has no ID: it may be an address elsewhere.
      { user_id: userId, kind: "picture", content_id: newId(), text: user[name]!, kept: { [name]: user[name] } },
      told,
    );
  await User.change(tx, { id: userId }, { avatar_url: null, cover_url: null });
  await tx.publish("user.card_changed", { user_id: userId });
  await tx.audit(principal, {
    action: "user.remove_pictures",
    target: { type: "user", id: userId },
    before: { pictures: shown.length },
    after: { pictures: 0 },
  });
  return true;
}

/** Step: brings back a picture that was removed, unless the user has chosen another. */
export async function restorePicture(tx: Tx, userId: string, kept: object): Promise<void> {
  const user = await User.lock(tx, { id: userId }, ["status", "avatar_url", "cover_url"]);
  if (!user || user.status === "deleted") return;
  const missing = Object.entries(kept).filter(([name]) => user[name as (typeof pictures)[number]] === null);
  if (missing.length === 0) return;
  await User.change(tx, { id: userId }, Object.fromEntries(missing));
  await tx.publish("user.card_changed", { user_id: userId });
}
