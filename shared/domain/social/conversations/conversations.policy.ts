import type { GroupRole, UserSettings } from "#shared/contracts/views.ts";
import { queryColumn, queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { tellBlocks } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { areFriends } from "#shared/domain/identity/relations/relations.queries.ts";
import { protectedFrom } from "#shared/domain/identity/sessions/age-protections.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { messagesNotAccepted, noSuchConversation, peerInactive } from "./conversations.errors.ts";

/** A conversation as one of its members sees it. */
export interface Access {
  id: string;
  last_message_id: string | null;
  member_count: number;
  /** Null in a group, as is what is known of the peer. */
  peer_id: string | null;
  is_blocked: boolean;
  peer_active: boolean;
  peer_takes: UserSettings["privacy"]["allow_dm"];
  /** Null in a conversation of two. */
  role: GroupRole | null;
}

/**
 * SQL: whether the user of the users row `u` can be written to at all, and by whom. Guests can't answer. Minors whom
 * the settings protect from strangers take messages from friends at most, unless the SQL condition `answers` holds.
 */
export const peerColumns = (answers = "false"): string => `u.status = 'active' AS peer_active,
  CASE WHEN u.is_guest THEN 'nobody'
    WHEN ${allowsDm} = 'everyone' AND ${protectedFrom("stranger_messages")} AND NOT ${answers} THEN 'friends'
    ELSE ${allowsDm} END AS peer_takes`;
const allowsDm = "coalesce(u.settings #>> '{privacy,allow_dm}', 'everyone')";

/** SQL: what the peer began, who wrote its first message, can be answered. */
const begunByPeer = "(c.started_by = m.peer_id AND c.last_message_id IS NOT NULL)";

const accessQuery = () => `SELECT c.id, c.last_message_id, c.member_count, m.peer_id, m.role,
    m.peer_id IS NOT NULL AND is_blocked_between(m.user_id, m.peer_id) AS is_blocked, ${peerColumns(begunByPeer)}
  FROM conversations c JOIN conversation_members m ON m.conversation_id = c.id LEFT JOIN users u ON u.id = m.peer_id
  WHERE c.id = $1 AND m.user_id = $2 AND m.left_at IS NULL`;
const lockingQuery = () => `${accessQuery()} FOR NO KEY UPDATE OF c`;

function admit(row: Access | undefined): Access {
  if (!row) throw noSuchConversation();
  tellBlocks("shared", { blocked: row.is_blocked, blocker: row.is_blocked });
  return row;
}

/**
 * Loads a conversation for one of its members.
 * @throws NOT_FOUND to others, BLOCKED while one of the two has blocked the other
 */
export async function accessConversation(userId: string, conversationId: string): Promise<Access> {
  return admit(await queryOne<Access>(accessQuery(), [conversationId, userId]));
}

/**
 * The same, and locks the conversation until the end of the transaction. Whether a user is a member of a group, and
 * with which role, is read once more under the lock: the statement that waited for it saw what held before.
 */
export async function lockConversation(tx: Tx, userId: string, conversationId: string): Promise<Access> {
  const [row] = await tx.query<Access>(lockingQuery(), [conversationId, userId]);
  if (!row?.role) return admit(row);
  const [locked] = await tx.query<Access>(accessQuery(), [conversationId, userId]);
  return admit(locked);
}

/** Whom an event of a conversation is for: the two, or the members of a group, who are read when it is pushed. */
export const audienceOf = (userId: string, { id, peer_id }: Pick<Access, "id" | "peer_id">) => ({
  conversation_id: id,
  ...(peer_id === null ? { to_members: true } : { user_ids: [userId, peer_id] }),
});

/** Returns the members of a conversation. */
export const memberIds = (conversationId: string): Promise<string[]> =>
  queryColumn("SELECT user_id AS id FROM conversation_members WHERE conversation_id = $1 AND left_at IS NULL", [
    conversationId,
  ]);

/** @throws FORBIDDEN in a group, unless the member is its owner or one of its admins */
export function assertRuns({ role }: Pick<Access, "role">): void {
  if (role === "member") throw new DomainError("FORBIDDEN", "Only the group's owner and admins can do that.");
}

/**
 * Throws unless the user may write to the peer, or in the group. Assumes that no block stands between the two.
 * @throws NOT_FOUND if the peer's account isn't active, FORBIDDEN if the peer's settings don't let this user write
 */
export async function assertCanMessage(
  userId: string,
  peer: Pick<Access, "peer_id" | "peer_active" | "peer_takes">,
): Promise<void> {
  if (peer.peer_id === null) return;
  if (!peer.peer_active) throw peerInactive();
  if (peer.peer_takes === "everyone") return;
  if (peer.peer_takes === "friends" && (await areFriends(userId, peer.peer_id))) return;
  throw messagesNotAccepted();
}

/**
 * Returns the users to whom a member's typing may be shown: the others, if the member may write to them.
 * @throws NOT_FOUND, BLOCKED, FORBIDDEN as for a message
 */
export async function accessOthers(userId: string, conversationId: string): Promise<string[]> {
  const access = await accessConversation(userId, conversationId);
  await assertCanMessage(userId, access);
  if (access.peer_id !== null) return [access.peer_id];
  return (await memberIds(conversationId)).filter((id) => id !== userId);
}
