import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Conversation } from "#shared/contracts/views.ts";
import { locks } from "#shared/db/locks.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { assertNotBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { conversationWithYourself, noSuchPeer, tooManyConversations } from "./conversations.errors.ts";
import { type Access, assertCanMessage, peerColumns } from "./conversations.policy.ts";
import { getConversation } from "./conversations.queries.ts";

/**
 * Returns the conversation with a peer, and creates it if there is none; `created` says so. The peer sees a new
 * conversation in their inbox once it has a message. A user may open as many in 24 hours as the setting
 * `new_conversations_per_day` allows.
 * @throws FORBIDDEN with yourself, or if the peer's settings don't let the caller write; NOT_FOUND if the peer doesn't
 *   exist or has blocked the caller; BLOCKED if the caller has blocked the peer; RATE_LIMITED
 */
export async function openConversation(
  { userId }: UserPrincipal,
  peerId: string,
): Promise<{ conversation: Conversation; created: boolean }> {
  if (userId === peerId) throw conversationWithYourself();
  return inTransaction(async (tx) => {
    await assertNotBlocked("person", userId, peerId, noSuchPeer);
    const known = await findWith(tx, userId, peerId);
    const begun = known ? undefined : await begin(tx, userId, peerId);
    // It may have been created since the lookup: by the peer, or from another device.
    const id = known ?? begun ?? (await findWith(tx, userId, peerId))!;
    await tx.query(
      `UPDATE conversation_members SET active_at = clock_timestamp()
       WHERE conversation_id = $1 AND user_id = $2 AND active_at IS NULL`,
      [id, userId],
    );
    return { conversation: await getConversation(userId, id), created: begun !== undefined };
  });
}

/** Returns the id of the conversation between the two. */
async function findWith(tx: Tx, userId: string, peerId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `SELECT id FROM conversations
     WHERE low_user_id = least($1::uuid, $2::uuid) AND high_user_id = greatest($1::uuid, $2::uuid)`,
    [userId, peerId],
  );
  return row?.id;
}

/** Creates the conversation and returns its id; undefined if there already is one. */
async function begin(tx: Tx, userId: string, peerId: string): Promise<string | undefined> {
  const [peer] = await tx.query<Pick<Access, "peer_id" | "peer_active" | "peer_takes">>(
    `SELECT u.id AS peer_id, ${peerColumns()} FROM users u WHERE u.id = $1`,
    [peerId],
  );
  if (!peer?.peer_active) throw noSuchPeer();
  await assertCanMessage(userId, peer);
  await assertBelowDailyLimit(tx, userId);
  const [created] = await tx.query<{ id: string }>(
    `WITH made AS (
       INSERT INTO conversations (id, low_user_id, high_user_id, started_by)
       VALUES ($3, least($1::uuid, $2::uuid), greatest($1::uuid, $2::uuid), $1)
       ON CONFLICT (low_user_id, high_user_id) DO NOTHING RETURNING id
     ), members AS (
       INSERT INTO conversation_members (conversation_id, user_id, peer_id)
       SELECT id, user_id, peer_id FROM made, (VALUES ($1::uuid, $2::uuid), ($2, $1)) AS m (user_id, peer_id)
     )
     SELECT id FROM made`,
    [userId, peerId, newId()],
  );
  return created?.id;
}

/** Conversations that a user opens concurrently wait here for each other, so that each sees those before it. */
export async function assertBelowDailyLimit(tx: Tx, userId: string): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.conversations, userId]);
  const [recent] = await tx.query<{ begun: number; wait: number | null }>(
    `SELECT count(*) AS begun, ceil(extract(epoch FROM min(created_at) + interval '24 hours' - now()))::integer AS wait
     FROM conversations WHERE started_by = $1 AND created_at > now() - interval '24 hours'`,
    [userId],
  );
  if (recent && recent.begun >= setting("new_conversations_per_day"))
    throw tooManyConversations(Math.max(1, recent.wait ?? 1));
}
