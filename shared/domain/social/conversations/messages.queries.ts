import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { DirectMessage } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { queryCursorPage, queryPage } from "#shared/db/query-page.ts";
import { reactionsFor } from "#shared/domain/base/messages/reactions.ts";
import { seenCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { CursorPage, CursorQuery, Page, PageQuery } from "#shared/kernel/page.ts";
import { type Access, accessConversation } from "./conversations.policy.ts";
import { type MessageRow, quoted, toDirectMessage, wholeColumns } from "./message-row.ts";

const selected = (rows: string) => `SELECT ${wholeColumns} FROM (${rows}) AS d ${quoted} ORDER BY d.id DESC`;

/** Returns messages as a member sees them: with their own reactions, and in a group with who sent them. */
async function toMessages(
  userId: string,
  rows: readonly MessageRow[],
  { peer_id }: Pick<Access, "peer_id">,
): Promise<DirectMessage[]> {
  const reacted = rows.map(({ id, reactions = null }) => ({ id, reactions }));
  const reactions = await reactionsFor(userId, reacted);
  const senders =
    peer_id === null
      ? await seenCards(
          userId,
          rows.map(({ sender_id }) => sender_id),
        )
      : undefined;
  return rows.map((row) => {
    const own = reactions.get(row.id);
    const sender = senders?.get(row.sender_id);
    return {
      ...toDirectMessage(row),
      ...(sender && { sender }),
      ...(own && !row.deleted_at && { reactions: own }),
    };
  });
}

const history = selected(
  "SELECT * FROM direct_messages WHERE conversation_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
);

/** Returns the messages before the one with the id `before`, newest first. */
export async function listMessages(
  userId: string,
  access: Access,
  cursor: CursorQuery,
): Promise<CursorPage<DirectMessage>> {
  const { items, next_before } = await queryCursorPage<MessageRow>(history, [access.id], cursor);
  return { items: await toMessages(userId, items, access), next_before };
}

/** The total is the conversation's own count: counting a long conversation would read all of it. */
const messagesPage = {
  count: "SELECT message_count FROM conversations WHERE id = $1",
  rows: selected("SELECT * FROM direct_messages WHERE conversation_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3"),
};

/** Returns one page of the messages, newest first. */
export async function pageMessages(userId: string, access: Access, page: PageQuery): Promise<Page<DirectMessage>> {
  const found = await queryPage<MessageRow>(messagesPage, [access.id], page);
  return { ...found, items: await toMessages(userId, found.items, access) };
}

export interface MessagesQuery extends Partial<CursorQuery> {
  /** Selects a list by page, whatever `before` says. */
  readonly page?: number;
}

/**
 * Returns a conversation's messages, newest first: one page of them when `page` is given, otherwise a cursor list.
 * @throws NOT_FOUND to non-members, BLOCKED
 */
export async function readMessages(
  { userId }: UserPrincipal,
  conversationId: string,
  { page, before, limit }: MessagesQuery,
): Promise<Page<DirectMessage> | CursorPage<DirectMessage>> {
  const access = await accessConversation(userId, conversationId);
  if (page !== undefined) return pageMessages(userId, access, { page, limit: limit ?? 20 });
  return listMessages(userId, access, { limit: limit ?? 50, ...(before !== undefined && { before }) });
}

/** Returns the pinned messages of a conversation, the latest pin first. @throws NOT_FOUND to non-members, BLOCKED */
export async function listPinned({ userId }: UserPrincipal, conversationId: string): Promise<DirectMessage[]> {
  const access = await accessConversation(userId, conversationId);
  const rows = await query<MessageRow>(
    `SELECT ${wholeColumns} FROM message_pins p JOIN direct_messages d ON d.id = p.message_id ${quoted}
     WHERE p.place_id = $1 ORDER BY p.pinned_at DESC`,
    [conversationId],
  );
  return toMessages(userId, rows, access);
}

/** Returns a message as a member sees it. It is there. */
export async function readMessage(userId: string, id: string, access: Pick<Access, "peer_id">): Promise<DirectMessage> {
  const rows = await query<MessageRow>(`SELECT ${wholeColumns} FROM direct_messages d ${quoted} WHERE d.id = $1`, [id]);
  return (await toMessages(userId, rows, access))[0]!;
}
