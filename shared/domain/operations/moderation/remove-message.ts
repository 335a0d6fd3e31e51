import type { Principal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";

/**
 * Step: removes a message of a room, or empties one of a conversation, as if its author had been erased. Returns false
 * if it is gone already. Publishes `room.message_removed`.
 */
export async function removeMessage(tx: Tx, principal: Principal, id: string): Promise<boolean> {
  const [chat] = await tx.query<{ room_id: string; user_id: string }>(
    `UPDATE room_messages SET deleted_at = now(), deleted_by = user_id, media = NULL WHERE id = $1 AND deleted_at IS NULL
     RETURNING room_id, user_id`,
    [id],
  );
  const direct = await tx.query(
    `UPDATE direct_messages SET body = '', attachment_url = NULL, media = NULL, mentions = NULL, client_id = NULL
     WHERE id = $1 AND (body <> '' OR attachment_url IS NOT NULL OR media IS NOT NULL) RETURNING 1`,
    [id],
  );
  if (!chat && direct.length === 0) return false;
  await tx.query("DELETE FROM message_pins WHERE message_id = $1", [id]);

  if (chat) await tx.publish("room.message_removed", { room_id: chat.room_id, message_id: id, by: chat.user_id });
  await tx.audit(principal, {
    action: "message.remove",
    target: { type: "message", id },
    before: { status: "visible" },
    after: { status: "removed" },
  });
  return true;
}
