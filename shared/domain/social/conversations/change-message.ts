import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { DirectMessage, ReactionCount } from "#shared/contracts/views.ts";
import { columnOf } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { checkContent } from "#shared/domain/base/filter/check-content.ts";
import { assertEditable, pinsMax } from "#shared/domain/base/messages/message-content.ts";
import { assertReaction, react } from "#shared/domain/base/messages/reactions.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { noSuchMessage } from "./conversations.errors.ts";
import { type Access, accessConversation, assertRuns, audienceOf, lockConversation } from "./conversations.policy.ts";
import { readMessage } from "./messages.queries.ts";

/** A message of a conversation. */
export interface MessagePlace {
  readonly conversationId: string;
  readonly messageId: string;
}

interface Found {
  readonly sender_id: string;
  readonly kind: string;
}

/** Locks a message for a change by its sender, or by others who may. @throws NOT_FOUND, BLOCKED, FORBIDDEN */
async function lockOwn(
  tx: Tx,
  userId: string,
  { conversationId, messageId }: MessagePlace,
  mayOther?: (access: Access) => boolean,
) {
  const access = await lockConversation(tx, userId, conversationId);
  const [message] = await tx.query<Found>(
    `SELECT sender_id, kind FROM direct_messages WHERE id = $1 AND conversation_id = $2 AND deleted_at IS NULL
     FOR UPDATE`,
    [messageId, conversationId],
  );
  if (!message) throw noSuchMessage();
  if (message.sender_id !== userId && !mayOther?.(access))
    throw new DomainError("FORBIDDEN", "This message isn't yours.");
  return { access, about: { ...audienceOf(userId, access), message_id: messageId } };
}

/**
 * Changes what a message says within 15 minutes, and keeps what it said for reports. Publishes `dm.updated`.
 * @throws NOT_FOUND, BLOCKED, FORBIDDEN for others than its sender, CONFLICT when it is too old, CONTENT_BLOCKED
 */
export async function editMessage(
  { userId }: UserPrincipal,
  place: MessagePlace,
  given: string,
): Promise<DirectMessage> {
  const body = checkContent("edit", given, await authorOf(userId));
  return inTransaction(async (tx) => {
    const { access, about } = await lockOwn(tx, userId, place);
    assertEditable(place.messageId);
    const [edited] = await tx.query<{ edited_at: string }>(
      `WITH kept AS (
         INSERT INTO message_edits (message_id, user_id, body, edited_at)
         SELECT id, sender_id, body, clock_timestamp() FROM direct_messages WHERE id = $1 RETURNING edited_at
       )
       UPDATE direct_messages d SET body = $2, edited_at = kept.edited_at FROM kept WHERE d.id = $1
       RETURNING d.edited_at`,
      [place.messageId, body],
    );
    await tx.publish("dm.updated", { ...about, body, edited_at: edited!.edited_at, by: userId });
    return readMessage(userId, place.messageId, access);
  });
}

/**
 * Deletes a message for all: nothing is shown of it but when it was sent. What it said is kept for reports until its
 * sender is erased; a medium is deleted. Publishes `dm.deleted`.
 * @throws NOT_FOUND, BLOCKED, FORBIDDEN for others than its sender, and the owner and admins of a group
 */
export async function deleteMessage({ userId }: UserPrincipal, place: MessagePlace): Promise<void> {
  await inTransaction(async (tx) => {
    const { about } = await lockOwn(tx, userId, place, ({ role }) => role === "owner" || role === "admin");
    await tx.query(
      `UPDATE direct_messages SET deleted_at = clock_timestamp(), media = NULL, attachment_url = NULL WHERE id = $1`,
      [place.messageId],
    );
    await tx.query("DELETE FROM message_pins WHERE message_id = $1", [place.messageId]);
    await tx.publish("dm.deleted", { ...about, by: userId });
  });
}

/**
 * Gives a reaction, or takes it back. Publishes `dm.reacted` if that changes anything.
 * @throws NOT_FOUND, BLOCKED, VALIDATION_ERROR for a reaction that the settings don't list
 */
export async function reactTo(
  { userId }: UserPrincipal,
  { conversationId, messageId }: MessagePlace,
  { emoji, isOn }: { readonly emoji: string; readonly isOn: boolean },
): Promise<{ reactions: ReactionCount[] }> {
  if (isOn) assertReaction(emoji);
  const access = await accessConversation(userId, conversationId);
  const outcome = await react("conversation", { placeId: conversationId, messageId, userId, emoji, isOn });
  if (outcome === "missing") throw noSuchMessage();
  const reactions = [...outcome.reactions];
  const about = { ...audienceOf(userId, access), message_id: messageId, reactions };
  if (outcome.changed) await inTransaction((tx) => tx.publish("dm.reacted", about));
  return { reactions };
}

/**
 * Pins a message for all, or unpins it; in a group, its owner and admins do. Publishes `conversation.updated`.
 * @throws NOT_FOUND, BLOCKED, FORBIDDEN, CONFLICT with too many
 */
export async function setPinned(
  { userId }: UserPrincipal,
  { conversationId, messageId }: MessagePlace,
  pinned: boolean,
): Promise<void> {
  await inTransaction(async (tx) => {
    const access = await lockConversation(tx, userId, conversationId);
    assertRuns(access);
    const changed = pinned
      ? await pin(tx, userId, conversationId, messageId)
      : await unpin(tx, conversationId, messageId);
    if (!changed) return;
    const pinned_ids = columnOf(
      await tx.query<{ id: string }>(
        "SELECT message_id AS id FROM message_pins WHERE place_id = $1 ORDER BY pinned_at DESC",
        [conversationId],
      ),
    );
    await tx.publish("conversation.updated", { ...audienceOf(userId, access), pinned_ids });
  });
}

async function pin(tx: Tx, userId: string, conversationId: string, messageId: string): Promise<boolean> {
  const [found] = await tx.query<{ pins: number; pinned: boolean }>(
    `SELECT (SELECT count(*) FROM message_pins WHERE place_id = $2) AS pins,
       EXISTS (SELECT 1 FROM message_pins p WHERE p.message_id = d.id) AS pinned
     FROM direct_messages d WHERE d.id = $1 AND d.conversation_id = $2 AND d.deleted_at IS NULL`,
    [messageId, conversationId],
  );
  if (!found) throw noSuchMessage();
  if (found.pinned) return false;
  if (found.pins >= pinsMax)
    throw new DomainError("CONFLICT", "{{most}} messages are pinned. Unpin one first.", { values: { most: pinsMax } });
  await tx.query("INSERT INTO message_pins (message_id, place_id, pinned_by) VALUES ($1, $2, $3)", [
    messageId,
    conversationId,
    userId,
  ]);
  return true;
}

async function unpin(tx: Tx, conversationId: string, messageId: string): Promise<true> {
  const unpinned = await tx.query("DELETE FROM message_pins WHERE message_id = $1 AND place_id = $2 RETURNING 1", [
    messageId,
    conversationId,
  ]);
  if (unpinned.length === 0) throw noSuchMessage();
  return true;
}
