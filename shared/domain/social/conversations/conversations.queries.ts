import type { Conversation, UserCard } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { seenCards, userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { noSuchConversation } from "./conversations.errors.ts";
import { type MessageRow, messageColumns, toDirectMessage } from "./message-row.ts";
import { showShadowed } from "./messages.queries.ts";

interface ConversationRow extends Omit<Conversation, "last_message"> {
  readonly last_message_id: string | null;
}

/** SQL: the conversation of a member's row `m`, as that member sees it. */
const columns = `m.conversation_id AS id, c.kind, CASE WHEN m.peer_id IS NOT NULL THEN ${userCardJson} END AS peer,
  CASE WHEN m.peer_id IS NULL THEN json_build_object('name', c.name, 'picture_url', c.picture_url,
    'owner_id', c.owner_id, 'member_count', c.member_count, 'role', m.role) END AS "group",
  m.unread, m.muted, coalesce(m.active_at, c.created_at) AS updated_at, c.last_message_id`;
const joined = `JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN users u ON u.id = m.peer_id`;

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
  return { ...found, items: await toConversations(userId, found.items, queryAnywhere) };
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
  return (await toConversations(userId, [row]))[0]!;
}

/**
 * Adds what was said last, and in groups who said it. A statement of its own: in a join, the months of the messages
 * aren't known when it begins, and all partitions would be opened.
 */
async function toConversations(
  userId: string,
  rows: readonly ConversationRow[],
  read = query,
): Promise<Conversation[]> {
  const ids = rows.flatMap(({ last_message_id }) => last_message_id ?? []);
  const found =
    ids.length === 0
      ? []
      : await read<MessageRow>(`SELECT ${messageColumns} FROM direct_messages d WHERE d.id = ANY ($1::uuid[])`, [ids]);
  const messages = new Map(found.map((message) => [message.id, message]));
  const last = rows.map(({ last_message_id }) => messages.get(last_message_id ?? ""));
  const inGroups = rows.flatMap(({ group }, at) => (group ? (last[at]?.sender_id ?? []) : []));
  const senders = inGroups.length === 0 ? undefined : await seenCards(userId, inGroups);
  const conversations = rows.map((row, at) => toConversation(row, last[at], senders));
  return showShadowed(userId, conversations);
}

function toConversation(
  { id, kind, peer, group, muted, unread, updated_at }: ConversationRow,
  last: MessageRow | undefined,
  senders: ReadonlyMap<string, UserCard> | undefined,
): Conversation {
  const sender = group && last && senders?.get(last.sender_id);
  const last_message = last ? { ...toDirectMessage(last), ...(sender && { sender }) } : null;
  return { id, kind, peer, ...(group && { group }), last_message, unread, muted, updated_at };
}
