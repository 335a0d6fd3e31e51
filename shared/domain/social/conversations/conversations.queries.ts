import type { Conversation, UserCard } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { seenCardJson, userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { noSuchConversation } from "./conversations.errors.ts";
import { type MessageRow, toDirectMessage } from "./message-row.ts";
import { showShadowed } from "./messages.queries.ts";

interface ConversationRow
  extends Omit<Conversation, "last_message">,
    Omit<MessageRow, "id" | "conversation_id" | "reactions" | "kind"> {
  /** In a group, who sent the last message. */
  readonly sender: UserCard | null;
  readonly message_id: string | null;
  readonly message_kind: MessageRow["kind"];
}

/** SQL: the conversation of a member's row `m`, as that member sees it. */
const columns = `m.conversation_id AS id, c.kind, CASE WHEN m.peer_id IS NOT NULL THEN ${userCardJson} END AS peer,
  CASE WHEN m.peer_id IS NULL AND u.id IS NOT NULL THEN ${seenCardJson("m.user_id")} END AS sender,
  CASE WHEN m.peer_id IS NULL THEN json_build_object('name', c.name, 'picture_url', c.picture_url,
    'owner_id', c.owner_id, 'member_count', c.member_count, 'role', m.role) END AS "group",
  m.unread, m.muted, coalesce(m.active_at, c.created_at) AS updated_at,
  d.id AS message_id, d.sender_id, d.body, d.attachment_url, d.read_at, d.created_at, d.kind AS message_kind,
  d.media, d.mentions, d.edited_at, d.deleted_at`;
const joined = `JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN direct_messages d ON d.id = c.last_message_id
  LEFT JOIN users u ON u.id = coalesce(m.peer_id, d.sender_id)`;

/** SQL: a member's row, with what of it orders the inbox, and what is unread. Those of groups are in the group. */
const ofTwo = `SELECT m.conversation_id, m.user_id, m.peer_id, m.role, m.muted, m.unread, m.active_at
  FROM conversation_members m`;
const ofGroup = `SELECT m.conversation_id, m.user_id, m.peer_id, m.role, m.muted,
    c.message_count - m.read_count AS unread, coalesce(c.active_at, c.created_at) AS active_at
  FROM conversation_members m JOIN conversations c ON c.id = m.conversation_id`;

/** The inbox of `$1`, without users whom they have blocked or who have blocked them. `$2`: one kind, or null. */
const twosOf = `m.user_id = $1 AND m.active_at IS NOT NULL AND m.peer_id NOT IN (SELECT blocked_people($1))
  AND coalesce($2::text, 'direct') = 'direct'`;
const groupsOf = "m.user_id = $1 AND m.peer_id IS NULL AND m.left_at IS NULL AND coalesce($2::text, 'group') = 'group'";
const newestFirst = "ORDER BY m.active_at DESC, m.conversation_id DESC";

const inbox = {
  count: `SELECT (SELECT count(*) FROM conversation_members m WHERE ${twosOf})
    + (SELECT count(*) FROM conversation_members m WHERE ${groupsOf}) AS count`,
  rows: `SELECT ${columns}
    FROM (
      SELECT * FROM (
        (${ofTwo} WHERE ${twosOf} ${newestFirst} LIMIT $3::bigint + $4::bigint) UNION ALL (${ofGroup} WHERE ${groupsOf})
      ) AS m ${newestFirst} LIMIT $3 OFFSET $4
    ) AS m ${joined}
    ${newestFirst}`,
};

/**
 * Returns a user's inbox, the conversation with the newest message first. A conversation of two that someone else
 * opened appears with its first message; a group at once.
 */
export async function listConversations(
  userId: string,
  { kind = null, ...page }: PageQuery & { readonly kind?: Conversation["kind"] | null },
): Promise<Page<Conversation>> {
  const found = await queryPage<ConversationRow>(inbox, [userId, kind], page, queryAnywhere);
  return { ...found, items: await showShadowed(userId, found.items.map(toConversation)) };
}

const one = `SELECT ${columns} FROM (
    ${ofTwo} WHERE m.conversation_id = $2 AND m.user_id = $1 AND m.peer_id IS NOT NULL
    UNION ALL ${ofGroup} WHERE m.conversation_id = $2 AND m.user_id = $1 AND m.peer_id IS NULL AND m.left_at IS NULL
  ) AS m ${joined}`;

/**
 * Returns one conversation as a member sees it. Doesn't look for blocks.
 * @throws NOT_FOUND
 */
export async function getConversation(userId: string, conversationId: string): Promise<Conversation> {
  const row = await queryOne<ConversationRow>(one, [userId, conversationId]);
  if (!row) throw noSuchConversation();
  return (await showShadowed(userId, [toConversation(row)]))[0]!;
}

function toConversation(row: ConversationRow): Conversation {
  const { id, kind, peer, group, muted, unread, updated_at, message_id, message_kind, sender, ...message } = row;
  const last_message =
    message_id === null
      ? null
      : {
          ...toDirectMessage({ ...message, id: message_id, conversation_id: id, kind: message_kind }),
          ...(sender && { sender }),
        };
  return { id, kind, peer, ...(group && { group }), last_message, unread, muted, updated_at };
}
