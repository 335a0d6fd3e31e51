import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { GroupCard, GroupMember, GroupRole, MemberChange } from "#shared/contracts/views.ts";
import { type PagedStatement, queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { seenCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { noSuchConversation } from "../conversations/conversations.errors.ts";
import { accessConversation, assertRuns } from "../conversations/conversations.policy.ts";
import { assertCanAdd, groupFull, lockGroup, membersMax, noSuchMember } from "./groups.policy.ts";

/** SQL: the group of the conversations row `c`, as all see it. */
export const groupColumns = "c.name, c.picture_url, c.owner_id, c.member_count";

/** Tells the members what has changed, and those who aren't any longer. */
export async function announceGroup(tx: Tx, id: string, members: readonly MemberChange[] = []): Promise<void> {
  const gone = members.filter(({ role }) => role === null).map(({ user_id }) => user_id);
  await tx.publish("conversation.updated", {
    conversation_id: id,
    to_members: true,
    ...(gone.length > 0 && { user_ids: gone }),
    group: await findGroup(tx, id),
    ...(members.length > 0 && { members: [...members] }),
  });
}

interface Newcomer {
  readonly user_id: string;
  readonly role: GroupRole;
}

/**
 * Step: makes users members, unless they are, and announces them. What was said before is read to them. Expects the
 * lock of the group. `addedBy`: the member who adds them, if they don't come by themselves.
 * @throws CONFLICT if it has too many members
 */
export async function admitMembers(
  tx: Tx,
  id: string,
  newcomers: readonly Newcomer[],
  addedBy: string | null = null,
): Promise<void> {
  const admitted = await tx.query<Newcomer>(
    `WITH admitted AS (
       INSERT INTO conversation_members (conversation_id, user_id, role, joined_at, read_count, added_by)
       SELECT c.id, n.user_id, n.role, clock_timestamp(), c.message_count, nullif($4, n.user_id)
       FROM conversations c, unnest($2::uuid[], $3::text[]) AS n (user_id, role) WHERE c.id = $1
       ON CONFLICT (conversation_id, user_id) DO UPDATE SET role = EXCLUDED.role, joined_at = EXCLUDED.joined_at,
         read_count = EXCLUDED.read_count, added_by = EXCLUDED.added_by, read_at = NULL, left_at = NULL, removed = false, muted = false
         WHERE conversation_members.left_at IS NOT NULL
       RETURNING user_id, role
     ), counted AS (
       UPDATE conversations SET member_count = member_count + (SELECT count(*) FROM admitted) WHERE id = $1
     )
     SELECT user_id, role FROM admitted`,
    [id, newcomers.map(({ user_id }) => user_id), newcomers.map(({ role }) => role), addedBy],
  );
  const { member_count } = await findGroup(tx, id);
  if (member_count > membersMax) throw groupFull();
  if (admitted.length > 0) await announceGroup(tx, id, admitted);
}

/**
 * Adds users to a group of which the caller is the owner or an admin.
 * @throws NOT_FOUND, FORBIDDEN, CONFLICT, RATE_LIMITED: see `assertCanAdd`
 */
export async function addMembers(caller: UserPrincipal, id: string, userIds: readonly string[]): Promise<GroupCard> {
  const unique = [...new Set(userIds)];
  return inTransaction(async (tx) => {
    assertRuns(await lockGroup(tx, caller, id));
    const present = await tx.query<{ user_id: string }>(
      "SELECT user_id FROM conversation_members WHERE conversation_id = $1 AND user_id = ANY ($2) AND left_at IS NULL",
      [id, unique],
    );
    const known = new Set(present.map(({ user_id }) => user_id));
    const others = unique.filter((userId) => !known.has(userId));
    await assertCanAdd(tx, caller.userId, others);
    await admitMembers(
      tx,
      id,
      others.map((user_id) => ({ user_id, role: "member" })),
      caller.userId,
    );
    return findGroup(tx, id);
  });
}

export async function findGroup(tx: Tx, id: string): Promise<GroupCard> {
  const [group] = await tx.query<GroupCard>(`SELECT ${groupColumns} FROM conversations c WHERE c.id = $1`, [id]);
  return group!;
}

/**
 * Lets a member leave, or be removed by the owner or an admin; admins are removed by the owner. When the owner leaves,
 * the admin who has been there longest takes their place, or the member. Those who were removed don't come back by an
 * invitation.
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function removeMember(caller: UserPrincipal, id: string, userId: string): Promise<void> {
  const removed = userId !== caller.userId;
  await inTransaction(async (tx) => {
    const access = await lockGroup(tx, caller, id);
    if (removed) await assertOutranks(tx, access.role, id, userId);
    await departFrom(tx, id, userId, removed);
  });
}

/** @throws NOT_FOUND, FORBIDDEN unless the role is above that of the member */
async function assertOutranks(tx: Tx, role: GroupRole, id: string, userId: string): Promise<void> {
  const other = await roleOf(tx, id, userId);
  assertRuns({ role });
  if (role !== "owner" && other !== "member")
    throw new DomainError("FORBIDDEN", "Only the group's owner can do that to its admins.");
}

async function roleOf(tx: Tx, id: string, userId: string): Promise<GroupRole> {
  const [member] = await tx.query<{ role: GroupRole }>(
    "SELECT role FROM conversation_members WHERE conversation_id = $1 AND user_id = $2 AND left_at IS NULL",
    [id, userId],
  );
  if (!member) throw noSuchMember();
  return member.role;
}

/** Step: ends a membership, with the invitations of the member. Expects the lock of the group. */
export async function departFrom(tx: Tx, id: string, userId: string, removed = false): Promise<void> {
  await tx.query(
    `UPDATE conversation_members SET left_at = clock_timestamp(), removed = $3, role = NULL
     WHERE conversation_id = $1 AND user_id = $2 AND left_at IS NULL`,
    [id, userId, removed],
  );
  await tx.query("DELETE FROM conversation_invites WHERE conversation_id = $1 AND created_by = $2", [id, userId]);
  const [heir] = await tx.query<{ user_id: string }>(
    `UPDATE conversation_members SET role = 'owner' WHERE conversation_id = $1 AND user_id = (
       SELECT m.user_id FROM conversation_members m JOIN conversations c ON c.id = m.conversation_id
       WHERE c.id = $1 AND c.owner_id = $2 AND m.left_at IS NULL
       ORDER BY m.role = 'admin' DESC, m.joined_at, m.user_id LIMIT 1
     ) RETURNING user_id`,
    [id, userId],
  );
  // What the last one leaves has no name any longer, and no picture.
  await tx.query(
    `UPDATE conversations SET member_count = member_count - 1,
       owner_id = CASE WHEN owner_id = $2 THEN $3 ELSE owner_id END,
       name = CASE WHEN member_count = 1 THEN '' ELSE name END,
       picture_url = CASE WHEN member_count = 1 THEN NULL ELSE picture_url END
     WHERE id = $1`,
    [id, userId, heir?.user_id ?? null],
  );
  await announceGroup(tx, id, [
    { user_id: userId, role: null },
    ...(heir ? [{ user_id: heir.user_id, role: "owner" as const }] : []),
  ]);
}

/**
 * Gives a member another role; allowed for the owner. A new owner makes the caller an admin.
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function changeRole(
  caller: UserPrincipal,
  id: string,
  { userId, role }: { readonly userId: string; readonly role: GroupRole },
): Promise<void> {
  await inTransaction(async (tx) => {
    const own = await lockGroup(tx, caller, id);
    const before = await roleOf(tx, id, userId);
    if (own.role !== "owner") throw new DomainError("FORBIDDEN", "Only the group's owner can do that.");
    if (before === "owner" && role !== "owner")
      throw new DomainError("FORBIDDEN", "Make another member the owner first.");
    if (before === role) return;
    const changes: MemberChange[] = [{ user_id: userId, role }];
    if (role === "owner") changes.push({ user_id: caller.userId, role: "admin" });
    for (const change of changes)
      await tx.query("UPDATE conversation_members SET role = $3 WHERE conversation_id = $1 AND user_id = $2", [
        id,
        change.user_id,
        change.role,
      ]);
    if (role === "owner") await tx.query("UPDATE conversations SET owner_id = $2 WHERE id = $1", [id, userId]);
    await announceGroup(tx, id, changes);
  });
}

const members: PagedStatement = {
  count: "SELECT count(*) FROM conversation_members WHERE conversation_id = $1 AND left_at IS NULL AND $2::uuid = $2",
  rows: `SELECT ${seenCardJson("$2")} AS user, m.role, m.joined_at, m.read_at
    FROM conversation_members m JOIN users u ON u.id = m.user_id
    WHERE m.conversation_id = $1 AND m.left_at IS NULL
    ORDER BY array_position(ARRAY['owner', 'admin', 'member'], m.role), m.joined_at, m.user_id LIMIT $3 OFFSET $4`,
};

/** Returns the members of a group: its owner, its admins, and the others as they came. @throws NOT_FOUND */
export async function listMembers({ userId }: UserPrincipal, id: string, page: PageQuery): Promise<Page<GroupMember>> {
  const { role } = await accessConversation(userId, id);
  if (!role) throw noSuchConversation();
  return queryPage<GroupMember>(members, [id, userId], page, queryAnywhere);
}
