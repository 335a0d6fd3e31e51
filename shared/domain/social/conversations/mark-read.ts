import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Conversation } from "#shared/contracts/views.ts";
import { recentFrom } from "#shared/db/query-page.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { oldestIn } from "#shared/domain/base/messages/message-tables.ts";
import { newestId } from "#shared/kernel/page.ts";
import { lockConversation } from "./conversations.policy.ts";
import { getConversation } from "./conversations.queries.ts";

/** Number of messages that get their `read_at` at once: a hundred thousand would exceed the statement timeout. */
const markedAtOnce = 10_000;

/** In larger groups, the others aren't told: everyone's reading would be pushed to everyone. They list the members. */
export const toldOfReadingMax = 32;

/**
 * Marks all messages of the others as read, and publishes `dm.read` if any were unread, in groups of up to 32 members.
 * Of more than 10,000 messages of a peer, the older ones get their `read_at` with later calls, as long as they are of
 * this month or the last. Returns the conversation.
 * @throws NOT_FOUND to non-members, BLOCKED
 */
export async function markRead({ userId }: UserPrincipal, conversationId: string): Promise<Conversation> {
  return inTransaction(async (tx) => {
    const { peer_id, member_count } = await lockConversation(tx, userId, conversationId);
    const read_at = await (peer_id === null
      ? markGroup(tx, conversationId, userId)
      : markMessages(tx, conversationId, { userId, peerId: peer_id }));
    if (read_at && member_count <= toldOfReadingMax)
      await tx.publish("dm.read", { conversation_id: conversationId, reader_id: userId, peer_id, read_at });
    return getConversation(userId, conversationId);
  });
}

/** A group's member has read as many messages as there are. Returns since when; undefined if they had. */
async function markGroup(tx: Tx, conversationId: string, userId: string): Promise<string | undefined> {
  const [marked] = await tx.query<{ read_at: string }>(
    `UPDATE conversation_members m SET read_count = c.message_count, read_at = clock_timestamp() FROM conversations c
     WHERE c.id = $1 AND m.conversation_id = c.id AND m.user_id = $2 AND m.read_count < c.message_count
     RETURNING m.read_at`,
    [conversationId, userId],
  );
  return marked?.read_at;
}

/** Of two, each message says when it was read. Returns since when; undefined if all were. */
async function markMessages(
  tx: Tx,
  conversationId: string,
  { userId, peerId }: { readonly userId: string; readonly peerId: string },
): Promise<string | undefined> {
  const [cleared] = await tx.query<{ unread: number; read_at: string }>(
    `WITH had AS MATERIALIZED (
       SELECT unread FROM conversation_members WHERE conversation_id = $1 AND user_id = $2 AND unread > 0 FOR UPDATE
     )
     UPDATE conversation_members m SET unread = 0 FROM had WHERE m.conversation_id = $1 AND m.user_id = $2
     RETURNING had.unread, clock_timestamp() AS read_at`,
    [conversationId, userId],
  );
  if (!cleared) return undefined;
  const { unread, read_at } = cleared;
  const mark = async (from: string, until: string, most: number) =>
    (
      await tx.query(
        `UPDATE direct_messages d SET read_at = $3
         FROM (
           SELECT id FROM direct_messages WHERE conversation_id = $1 AND sender_id = $2 AND read_at IS NULL
             AND id >= $4 AND id < $5 ORDER BY id DESC LIMIT $6
         ) AS newest
         WHERE d.id = newest.id AND d.id >= $4 AND d.id < $5 RETURNING 1`,
        [conversationId, peerId, read_at, from, until, most],
      )
    ).length;
  // Mostly all are recent: older partitions are opened only if not as many were found as weren't read.
  const recent = recentFrom(newestId);
  const marked = await mark(recent, newestId, markedAtOnce);
  if (marked < Math.min(unread, markedAtOnce)) await mark(oldestIn(conversationId), recent, markedAtOnce - marked);
  return read_at;
}
