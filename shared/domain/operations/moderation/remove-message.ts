import type { Principal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { recordRemoval } from "#shared/domain/social/removals/removals.ts";

/** What a removal takes out of a message, beside its mark. */
const kept: Readonly<Record<"room_message" | "direct_message", readonly string[]>> = {
  room_message: ["media"],
  direct_message: ["body", "attachment_url", "media", "mentions", "client_id"],
};

/** SQL: a message that is there, with its pin. `$1` is its ID. */
const found = {
  room_message: `SELECT m.user_id, m.room_id, m.body AS text, jsonb_build_object('media', m.media, 'pin', to_jsonb(p)) AS kept
    FROM room_messages m LEFT JOIN message_pins p ON p.message_id = m.id
    WHERE m.id = $1 AND m.deleted_at IS NULL FOR UPDATE OF m`,
  direct_message: `SELECT m.sender_id AS user_id, NULL AS room_id, m.body AS text, jsonb_build_object('body', m.body,
      'attachment_url', m.attachment_url, 'media', m.media, 'mentions', m.mentions, 'client_id', m.client_id,
      'pin', to_jsonb(p)) AS kept
    FROM direct_messages m LEFT JOIN message_pins p ON p.message_id = m.id
    WHERE m.id = $1 AND (m.body <> '' OR m.attachment_url IS NOT NULL OR m.media IS NOT NULL) FOR UPDATE OF m`,
};

interface Found extends Record<string, unknown> {
  readonly user_id: string;
  readonly room_id: string | null;
  readonly text: string;
  readonly kept: object;
}

/**
 * Step: removes a message of a room, or empties one of a conversation, as if its author had been erased; what is taken
 * out is kept for an appeal. `told`: why, for its author. Returns false if it is gone already. Publishes
 * `room.message_removed`.
 */
export async function removeMessage(tx: Tx, principal: Principal, id: string, told?: string): Promise<boolean> {
  const [chat] = await tx.query<Found>(found.room_message, [id]);
  const [direct] = chat ? [] : await tx.query<Found>(found.direct_message, [id]);
  const message = chat ?? direct;
  if (!message) return false;
  await tx.query(
    chat
      ? "UPDATE room_messages SET deleted_at = now(), deleted_by = user_id, media = NULL WHERE id = $1"
      : `UPDATE direct_messages SET body = '', attachment_url = NULL, media = NULL, mentions = NULL, client_id = NULL
         WHERE id = $1`,
    [id],
  );
  await tx.query("DELETE FROM message_pins WHERE message_id = $1", [id]);

  const { user_id, room_id, text } = message;
  const kind = chat ? "room_message" : "direct_message";
  await recordRemoval(tx, principal, { user_id, kind, content_id: id, text, kept: message.kept }, told);
  if (room_id) await tx.publish("room.message_removed", { room_id, message_id: id, by: user_id });
  await tx.audit(principal, {
    action: "message.remove",
    target: { type: "message", id },
    before: { status: "visible" },
    after: { status: "removed" },
  });
  return true;
}

/** Step: brings back a message that was removed, with what was kept of it, and its pin. */
export async function restoreMessage(tx: Tx, kind: keyof typeof kept, id: string, given: object): Promise<void> {
  const isChat = kind === "room_message";
  const table = isChat ? "room_messages" : "direct_messages";
  const restored = await tx.query(
    `UPDATE ${table} m SET ${kept[kind].map((name) => `${name} = k.${name}`).join(", ")}
       ${isChat ? ", deleted_at = NULL, deleted_by = NULL" : ""}
     FROM jsonb_populate_record(NULL::${table}, $2) k
     WHERE m.id = $1 AND ${isChat ? "m.deleted_by = m.user_id" : "m.body = '' AND m.media IS NULL AND m.deleted_at IS NULL"}
     RETURNING 1`,
    [id, JSON.stringify(given)],
  );
  if (restored.length > 0)
    await tx.query(
      `INSERT INTO message_pins SELECT p.* FROM jsonb_populate_record(NULL::message_pins, nullif($1::jsonb -> 'pin', 'null')) p
       WHERE p.message_id IS NOT NULL ON CONFLICT DO NOTHING`,
      [JSON.stringify(given)],
    );
}
