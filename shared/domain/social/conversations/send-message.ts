import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { DirectMessage } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { newIdAfter } from "#shared/kernel/ids.ts";
import { emptyMessage } from "./conversations.errors.ts";
import { assertCanMessage, lockConversation } from "./conversations.policy.ts";
import { messageColumns } from "./messages.queries.ts";

export interface MessageInput {
  /** May be empty if there is an attachment. */
  readonly body: string;
  readonly attachment_url?: string;
  /** Chosen by the sender. In one conversation, the same `client_id` identifies the same message. */
  readonly client_id?: string;
}

export interface SentMessage {
  readonly message: DirectMessage;
  /** False: this `client_id` was sent before, as this message. */
  readonly created: boolean;
}

/**
 * Stores a message, increments the peer's unread count, and publishes `message.sent`. A repeated `client_id` returns
 * the first message and has no effect, even if the caller could no longer write.
 * @throws NOT_FOUND to non-members, or if the peer's account isn't active; BLOCKED; FORBIDDEN if the peer's settings
 *   don't let the caller write; VALIDATION_ERROR for an empty message
 */
export async function sendMessage(
  { userId }: UserPrincipal,
  conversationId: string,
  input: MessageInput,
): Promise<SentMessage> {
  if (input.body === "" && input.attachment_url === undefined) throw emptyMessage();
  const sent = await findSent(userId, conversationId, input.client_id);
  if (sent) return { message: sent, created: false };
  return inTransaction(async (tx) => {
    const access = await lockConversation(tx, userId, conversationId);
    await assertCanMessage(userId, access);
    const id = newIdAfter(access.last_message_id);
    const message = await storeMessage(tx, { id, conversationId, userId }, input);
    // Two concurrent calls with one client_id may both have found nothing. The second one finds it now.
    if (!message) return { message: (await findSent(userId, conversationId, input.client_id))!, created: false };
    await tx.publish("dm.new", { message, recipient_id: access.peer_id });
    return { message, created: true };
  });
}

async function findSent(
  userId: string,
  conversationId: string,
  clientId: string | undefined,
): Promise<DirectMessage | undefined> {
  if (clientId === undefined) return undefined;
  return queryOne<DirectMessage>(
    `SELECT ${messageColumns}, client_id FROM direct_messages
     WHERE conversation_id = $1 AND sender_id = $2 AND client_id = $3`,
    [conversationId, userId, clientId],
  );
}

/** Stores the message under the conversation's lock; returns undefined if the sender's `client_id` exists already. */
async function storeMessage(
  tx: Tx,
  { id, conversationId, userId }: { id: string; conversationId: string; userId: string },
  { body, attachment_url, client_id }: MessageInput,
): Promise<DirectMessage | undefined> {
  const [stored] = await tx.query<DirectMessage>(
    `WITH stored AS (
       INSERT INTO direct_messages (id, conversation_id, sender_id, body, attachment_url, client_id, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
       ON CONFLICT (conversation_id, sender_id, client_id) WHERE client_id IS NOT NULL DO NOTHING
       RETURNING ${messageColumns}
     ), counted AS (
       UPDATE conversations c SET last_message_id = stored.id, message_count = message_count + 1
       FROM stored WHERE c.id = stored.conversation_id
     ), shown AS (
       UPDATE conversation_members m
       SET active_at = stored.created_at, unread = unread + (m.user_id <> stored.sender_id)::integer
       FROM stored WHERE m.conversation_id = stored.conversation_id
     )
     SELECT * FROM stored`,
    [id, conversationId, userId, body, attachment_url ?? null, client_id ?? null],
  );
  return stored && { ...stored, ...(client_id !== undefined && { client_id }) };
}
