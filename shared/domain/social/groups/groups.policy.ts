import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { locks } from "#shared/db/locks.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { whichBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { noSuchConversation } from "../conversations/conversations.errors.ts";
import { type Access, assertCanMessage, lockConversation, peerColumns } from "../conversations/conversations.policy.ts";

/** The most members of a group. */
export const membersMax = 256;
/** The most groups that a user is in: an inbox sorts them. */
export const groupsMax = 200;

export const noSuchMember = () => new DomainError("NOT_FOUND", "This user isn't a member of the group.");
export const groupFull = () =>
  new DomainError("CONFLICT", "A group has at most {{most}} members.", { values: { most: membersMax } });
const tooManyGroups = () =>
  new DomainError("CONFLICT", "A user can be in at most {{most}} groups.", { values: { most: groupsMax } });

export type GroupAccess = Access & { readonly role: NonNullable<Access["role"]> };

/** Locks a group for one of its members. @throws NOT_FOUND to others, and for a conversation of two */
export async function lockGroup(tx: Tx, { userId }: UserPrincipal, id: string): Promise<GroupAccess> {
  const access = await lockConversation(tx, userId, id);
  if (!access.role) throw noSuchConversation();
  return access as GroupAccess;
}

/** @throws CONFLICT if one of these users is in too many groups already */
export async function assertFewGroups(tx: Tx, userIds: readonly string[]): Promise<void> {
  const many = await tx.query(
    `SELECT FROM conversation_members WHERE user_id = ANY ($1::uuid[]) AND peer_id IS NULL AND left_at IS NULL
     GROUP BY user_id HAVING count(*) >= ${groupsMax}`,
    [userIds],
  );
  if (many.length > 0) throw tooManyGroups();
}

/**
 * Asserts that a member adds at most as many users in 24 hours as the setting `group_members_per_day` allows, over all
 * groups.
 * Concurrent additions wait here for each other.
 * @throws RATE_LIMITED
 */
async function assertBelowDailyMembers(tx: Tx, userId: string, count: number): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.groupMembers, userId]);
  const [recent] = await tx.query<{ added: number; wait: number | null }>(
    `SELECT count(*) AS added, ceil(extract(epoch FROM min(joined_at) + interval '24 hours' - now()))::integer AS wait
     FROM conversation_members WHERE added_by = $1 AND joined_at > now() - interval '24 hours'`,
    [userId],
  );
  if (recent!.added + count > setting("group_members_per_day"))
    throw new DomainError("RATE_LIMITED", "You have added too many users to groups in the last 24 hours.", {
      retryAfter: Math.max(1, recent!.wait ?? 86_400),
    });
}

/**
 * Throws unless a member may bring all of these users into a group: those to whom they could write.
 * @throws NOT_FOUND for one who doesn't exist, isn't active, or if a block stands between the two; FORBIDDEN if their
 *   settings don't let this user write; CONFLICT if they are in too many groups; RATE_LIMITED for too many in a day
 */
export async function assertCanAdd(tx: Tx, userId: string, userIds: readonly string[]): Promise<void> {
  const found = await tx.query<Pick<Access, "peer_active" | "peer_takes"> & { peer_id: string }>(
    `SELECT u.id AS peer_id, ${peerColumns()} FROM users u WHERE u.id = ANY ($1::uuid[])`,
    [userIds],
  );
  const blocked = await whichBlocked(userIds.map((id) => [userId, id]));
  if (found.length < userIds.length || blocked.includes(true) || found.some(({ peer_active }) => !peer_active))
    throw new DomainError("NOT_FOUND", "One of these users doesn't exist.");
  for (const peer of found) await assertCanMessage(userId, peer);
  await assertFewGroups(tx, userIds);
  if (userIds.length > 0) await assertBelowDailyMembers(tx, userId, userIds.length);
}
