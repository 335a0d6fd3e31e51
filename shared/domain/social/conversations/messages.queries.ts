import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { DirectMessage } from "#shared/contracts/views.ts";
import { queryCursorPage, queryPage } from "#shared/db/query-page.ts";
import type { CursorPage, CursorQuery, Page, PageQuery } from "#shared/kernel/page.ts";
import { type Access, accessConversation } from "./conversations.policy.ts";

export const messageColumns = "id, conversation_id, sender_id, body, attachment_url, read_at, created_at";

/** Returns the messages before the one with the id `before`, newest first. */
export const listMessages = ({ id }: Access, cursor: CursorQuery): Promise<CursorPage<DirectMessage>> =>
  queryCursorPage<DirectMessage>(
    `SELECT ${messageColumns} FROM direct_messages WHERE conversation_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
    [id],
    cursor,
  );

/** The total is the conversation's own count: counting a long conversation would read all of it. */
const messagesPage = {
  count: "SELECT message_count FROM conversations WHERE id = $1",
  rows: `SELECT ${messageColumns} FROM direct_messages WHERE conversation_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
};

/** Returns one page of the messages, newest first. */
export const pageMessages = ({ id }: Access, page: PageQuery): Promise<Page<DirectMessage>> =>
  queryPage<DirectMessage>(messagesPage, [id], page);

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
  if (page !== undefined) return pageMessages(access, { page, limit: limit ?? 20 });
  return listMessages(access, { limit: limit ?? 50, ...(before !== undefined && { before }) });
}
