import type { Conversation } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { noSuchConversation } from "./conversations.errors.ts";
import { type MessageRow, toDirectMessage } from "./message-row.ts";

interface ConversationRow
  extends Omit<Conversation, "last_message">,
    Omit<MessageRow, "id" | "conversation_id" | "reactions"> {
  readonly message_id: string | null;
}

/** SQL: the conversation of a member's row `m`, as that member sees it. */
const columns = `m.conversation_id AS id, ${userCardJson} AS peer, m.unread,
  coalesce(m.active_at, c.created_at) AS updated_at,
  d.id AS message_id, d.sender_id, d.body, d.attachment_url, d.read_at, d.created_at, d.kind,
  d.media, d.edited_at, d.deleted_at`;
const joined = `JOIN conversations c ON c.id = m.conversation_id
  JOIN users u ON u.id = m.peer_id
  LEFT JOIN direct_messages d ON d.id = c.last_message_id`;

/** The inbox of `$1`, without users whom they have blocked or who have blocked them. */
const inInbox = "m.user_id = $1 AND m.active_at IS NOT NULL AND m.peer_id NOT IN (SELECT blocked_people($1))";

const inbox = {
  count: `SELECT count(*) FROM conversation_members m WHERE ${inInbox}`,
  rows: `SELECT ${columns}
    FROM (
      SELECT * FROM conversation_members m WHERE ${inInbox}
      ORDER BY m.active_at DESC, m.conversation_id DESC LIMIT $2 OFFSET $3
    ) AS m ${joined}
    ORDER BY m.active_at DESC, m.conversation_id DESC`,
};

/**
 * Returns a user's inbox, the conversation with the newest message first. A conversation that someone else opened
 * appears with its first message.
 */
export async function listConversations(userId: string, page: PageQuery): Promise<Page<Conversation>> {
  const found = await queryPage<ConversationRow>(inbox, [userId], page);
  return { ...found, items: found.items.map(toConversation) };
}

/**
 * Returns one conversation as a member sees it. Doesn't authorize.
 * @throws NOT_FOUND
 */
export async function getConversation(userId: string, conversationId: string): Promise<Conversation> {
  const row = await queryOne<ConversationRow>(
    `SELECT ${columns} FROM conversation_members m ${joined} WHERE m.conversation_id = $2 AND m.user_id = $1`,
    [userId, conversationId],
  );
  if (!row) throw noSuchConversation();
  return toConversation(row);
}

function toConversation(row: ConversationRow): Conversation {
  const { id, peer, unread, updated_at, message_id, ...message } = row;
  const last_message =
    message_id === null ? null : toDirectMessage({ id: message_id, conversation_id: id, ...message });
  return { id, peer, last_message, unread, updated_at };
}
