import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Conversation, DirectMessage } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { queryPage, queryRecentPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { countShadowed, lastShadowed, shadowedColumns, withShadowed } from "#shared/domain/base/filter/shadowed.ts";
import { oldestIn } from "#shared/domain/base/messages/message-tables.ts";
import { withQuotes } from "#shared/domain/base/messages/quotes.ts";
import { reactionsFor } from "#shared/domain/base/messages/reactions.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { seenCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { CursorPage, CursorQuery, Page, PageQuery } from "#shared/kernel/page.ts";
import { type Access, accessConversation } from "./conversations.policy.ts";
import { type MessageRow, toDirectMessage, wholeColumns } from "./message-row.ts";

type WholeRow = MessageRow & { readonly reply_to: string | null };

const selected = (rows: string) => `SELECT ${wholeColumns} FROM (${rows}) AS d ORDER BY d.id DESC`;

/** Returns messages as a member sees them: with their own reactions, and in a group with who sent them. */
async function toMessages(
  userId: string,
  found: readonly WholeRow[],
  { peer_id }: Pick<Access, "peer_id">,
  read = query,
): Promise<DirectMessage[]> {
  const rows = await withQuotes("conversation", found, ({ conversation_id }) => conversation_id, read);
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

const all = {
  from: "direct_messages WHERE conversation_id = $1",
  columns: {
    ...shadowedColumns,
    conversation_id: "h.target_id",
    sender_id: "h.user_id",
    attachment_url: "h.input ->> 'attachment_url'",
    read_at: "NULL::timestamptz",
    deleted_at: "NULL::timestamptz",
  },
};

/** Returns the messages before the one with the id `before`, newest first, with what is shadowed of the user's own. */
export async function listMessages(
  userId: string,
  access: Access,
  cursor: CursorQuery,
): Promise<CursorPage<DirectMessage>> {
  const { items, next_before } = await queryRecentPage<WholeRow>(
    selected(withShadowed(all, "$5", "id >= $3 AND id < $4")),
    [access.id, userId],
    cursor,
    { oldest: oldestIn(access.id), read: queryAnywhere },
  );
  return { items: await toMessages(userId, items, access, queryAnywhere), next_before };
}

/** The total is the conversation's own count: counting a long conversation would read all of it. */
const messagesPage = () => ({
  count: `SELECT message_count + (${countShadowed()}) FROM conversations WHERE id = $1 AND $2::uuid IS NOT NULL`,
  rows: selected(
    `SELECT * FROM (${withShadowed(all, "$4::bigint + $5::bigint", "id >= $3")}) AS newest ORDER BY id DESC LIMIT $4 OFFSET $5`,
  ),
});

/** Returns one page of the messages, newest first. */
export async function pageMessages(userId: string, access: Access, page: PageQuery): Promise<Page<DirectMessage>> {
  const found = await queryPage<WholeRow>(
    messagesPage(),
    [access.id, userId, oldestIn(access.id)],
    page,
    queryAnywhere,
  );
  return { ...found, items: await toMessages(userId, found.items, access, queryAnywhere) };
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
  const rows = await query<WholeRow>(
    `SELECT ${wholeColumns} FROM message_pins p JOIN direct_messages d ON d.id = p.message_id
     WHERE p.place_id = $1 ORDER BY p.pinned_at DESC`,
    [conversationId],
  );
  return toMessages(userId, rows, access);
}

/** Returns a message as a member sees it. It is there. */
export async function readMessage(userId: string, id: string, access: Pick<Access, "peer_id">): Promise<DirectMessage> {
  const rows = await query<WholeRow>(`SELECT ${wholeColumns} FROM direct_messages d WHERE d.id = $1`, [id]);
  return (await toMessages(userId, rows, access))[0]!;
}

/** Returns a message of the user that is shadowed, as they see it; undefined if there is none. */
export async function readShadowed(
  userId: string,
  id: string,
  access: Pick<Access, "id" | "peer_id">,
): Promise<DirectMessage | undefined> {
  const text = selected(withShadowed(all, "1", "id = $3"));
  return (await toMessages(userId, await query<WholeRow>(text, [access.id, userId, id]), access))[0];
}

/** Returns conversations as the user sees them: with what they wrote last, though it is shadowed. */
export async function showShadowed(userId: string, found: readonly Conversation[]): Promise<Conversation[]> {
  if (!setting("shadow_spam") || found.length === 0) return [...found];
  const rows = await query<WholeRow>(selected(lastShadowed(all)), [found.map(({ id }) => id), userId]);
  const messages = await toMessages(userId, rows, { peer_id: null });
  const own = new Map(messages.map((message) => [message.conversation_id, message]));
  return found.map((one) => {
    const message = own.get(one.id);
    if (!message || (one.last_message && one.last_message.id > message.id)) return one;
    const { sender, ...plain } = message;
    return { ...one, last_message: one.kind === "group" ? message : plain, updated_at: message.created_at };
  });
}
