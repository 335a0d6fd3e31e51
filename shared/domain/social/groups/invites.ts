import { randomBytes } from "node:crypto";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Conversation, GroupCard, GroupInvite } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { blockError } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { noSuchConversation } from "../conversations/conversations.errors.ts";
import { accessConversation, assertRuns } from "../conversations/conversations.policy.ts";
import { getConversation } from "../conversations/conversations.queries.ts";
import { assertFewGroups, lockGroup } from "./groups.policy.ts";
import { admitMembers, groupColumns } from "./members.ts";

/** The most invitations of a group that hold at a time. */
export const invitesMax = 20;

const columns = "id, code, created_by, created_at, expires_at";
const noSuchInvite = () => new DomainError("NOT_FOUND", "This invitation doesn't exist, or has ended.");

/**
 * Makes an invitation to a group; allowed for its owner and admins. Expired ones of the group are deleted.
 * @throws NOT_FOUND, FORBIDDEN, CONFLICT with too many
 */
export async function createInvite(
  caller: UserPrincipal,
  id: string,
  { expires_in }: { readonly expires_in: number },
): Promise<GroupInvite> {
  return inTransaction(async (tx) => {
    assertRuns(await lockGroup(tx, caller, id));
    await tx.query("DELETE FROM conversation_invites WHERE conversation_id = $1 AND expires_at <= now()", [id]);
    const [held] = await tx.query<{ n: number }>(
      "SELECT count(*) AS n FROM conversation_invites WHERE conversation_id = $1",
      [id],
    );
    if (held!.n >= invitesMax)
      throw new DomainError("CONFLICT", "A group has at most {{most}} invitations. End one first.", {
        values: { most: invitesMax },
      });
    const [invite] = await tx.query<GroupInvite>(
      `INSERT INTO conversation_invites (id, conversation_id, code, created_by, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5)) RETURNING ${columns}`,
      [newId(), id, randomBytes(18).toString("base64url"), caller.userId, expires_in],
    );
    return invite!;
  });
}

/** Returns the invitations that hold, newest first; for the group's owner and admins. @throws NOT_FOUND, FORBIDDEN */
export async function listInvites({ userId }: UserPrincipal, id: string): Promise<GroupInvite[]> {
  const access = await accessConversation(userId, id);
  if (!access.role) throw noSuchConversation();
  assertRuns(access);
  return query<GroupInvite>(
    `SELECT ${columns} FROM conversation_invites WHERE conversation_id = $1 AND expires_at > now()
     ORDER BY created_at DESC, id DESC`,
    [id],
  );
}

/** Ends an invitation; allowed for the owner and admins. @throws NOT_FOUND, FORBIDDEN */
export async function endInvite(caller: UserPrincipal, id: string, inviteId: string): Promise<void> {
  await inTransaction(async (tx) => {
    assertRuns(await lockGroup(tx, caller, id));
    const ended = await tx.query(
      "DELETE FROM conversation_invites WHERE id = $1 AND conversation_id = $2 RETURNING 1",
      [inviteId, id],
    );
    if (ended.length === 0) throw noSuchInvite();
  });
}

interface Invited extends GroupCard {
  readonly id: string;
  readonly blocked: boolean;
  readonly removed: boolean;
  readonly joined: boolean;
}

/** SQL: the group that the code `$1` invites the user `$2` to. */
const invited = `SELECT c.id, ${groupColumns},
    is_blocked_between($2, c.owner_id) OR is_blocked_between($2, i.created_by) AS blocked,
    coalesce(m.removed, false) AS removed, m.user_id IS NOT NULL AND m.left_at IS NULL AS joined
  FROM conversation_invites i JOIN conversations c ON c.id = i.conversation_id
    LEFT JOIN conversation_members m ON m.conversation_id = c.id AND m.user_id = $2
  WHERE i.code = $1 AND i.expires_at > now()`;

function admit(row: Invited | undefined): Invited {
  if (!row || row.removed) throw noSuchInvite();
  const error = blockError("content", { blocked: row.blocked, blocker: false }, noSuchInvite);
  if (error && !row.joined) throw error;
  return row;
}

/**
 * Returns the group that an invitation leads to.
 * @throws NOT_FOUND also to those who were removed, and while a block stands between the user and the group's owner, or
 *   who made the invitation
 */
export async function findInvited({ userId }: UserPrincipal, code: string): Promise<GroupCard> {
  const { name, picture_url, owner_id, member_count } = admit(await queryOne<Invited>(invited, [code, userId]));
  return { name, picture_url, owner_id, member_count };
}

/** Joins the group; without effect for a member. @throws NOT_FOUND as above, CONFLICT with too many */
export async function joinByInvite(caller: UserPrincipal, code: string): Promise<Conversation> {
  const { userId } = caller;
  return inTransaction(async (tx) => {
    const group = admit(await lockInvited(tx, code, userId));
    if (!group.joined) {
      await assertFewGroups(tx, [userId]);
      await admitMembers(tx, group.id, [{ user_id: userId, role: "member" }]);
    }
    return getConversation(userId, group.id);
  });
}

async function lockInvited(tx: Tx, code: string, userId: string): Promise<Invited | undefined> {
  // What holds is read under the lock: the invitation may end at the same time.
  await tx.query(
    `SELECT FROM conversations WHERE id = (SELECT conversation_id FROM conversation_invites WHERE code = $1)
     FOR NO KEY UPDATE`,
    [code],
  );
  const [row] = await tx.query<Invited>(invited, [code, userId]);
  return row;
}
