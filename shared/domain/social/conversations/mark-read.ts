import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Conversation } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { lockConversation } from "./conversations.policy.ts";
import { getConversation } from "./conversations.queries.ts";

/** Number of messages that get their `read_at` at once: a hundred thousand would exceed the statement timeout. */
const markedAtOnce = 10_000;

/**
 * Marks all messages from the peer as read, and publishes `conversation.read` if any were unread. Of more than 10,000
 * messages, the older ones get their `read_at` with later calls. Returns the conversation.
 * @throws NOT_FOUND to non-members, BLOCKED
 */
export async function markRead({ userId }: UserPrincipal, conversationId: string): Promise<Conversation> {
  return inTransaction(async (tx) => {
    const { peer_id } = await lockConversation(tx, userId, conversationId);
    const [marked] = await tx.query<{ read_at: string }>(
      `WITH cleared AS (
         UPDATE conversation_members SET unread = 0
         WHERE conversation_id = $1 AND user_id = $2 AND unread > 0 RETURNING clock_timestamp() AS read_at
       ), marked AS (
         UPDATE direct_messages d SET read_at = cleared.read_at
         FROM cleared, (
           SELECT id FROM direct_messages WHERE conversation_id = $1 AND sender_id = $3 AND read_at IS NULL
           ORDER BY id DESC LIMIT ${markedAtOnce}
         ) AS newest
         WHERE d.id = newest.id
       )
       SELECT read_at FROM cleared`,
      [conversationId, userId, peer_id],
    );
    if (marked)
      await tx.publish("dm.read", {
        conversation_id: conversationId,
        reader_id: userId,
        peer_id,
        read_at: marked.read_at,
      });
    return getConversation(userId, conversationId);
  });
}
