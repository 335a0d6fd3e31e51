import { permissions, superAdminRole } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { addFollow } from "#shared/domain/identity/relations/follows.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";

/** Relations between users for tests of other features, created without checks. */

interface Person {
  readonly id: string;
}

/** Returns a user as the caller of a command, with a new session by default. */
export const callerOf = ({ id, sessionId = newId() }: Person & { readonly sessionId?: string }): UserPrincipal => ({
  kind: "user",
  userId: id,
  sessionId,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
});

/** Returns an administrator as the caller of a command. There is no account, because commands don't read it. */
export const adminCaller = (): AdminPrincipal => ({
  kind: "admin",
  adminId: newId(),
  sessionId: newId(),
  role: superAdminRole,
  permissions,
  hasSecondFactor: false,
  ip: "127.0.0.1",
  userAgent: "tests",
  requestId: newId(),
});

export async function follow(follower: Person, followed: Person): Promise<void> {
  await inTransaction((tx) => addFollow(tx, follower.id, followed.id));
}

/** Creates only the block. Keeps other relations, so that tests see what the block alone hides. */
export async function block(blocker: Person, blocked: Person): Promise<void> {
  await query("INSERT INTO user_blocks (blocker_id, blocked_id) VALUES ($1, $2)", [blocker.id, blocked.id]);
}

export async function setStatus(person: Person, status: "active" | "suspended" | "deletion_pending" | "deleted") {
  await query("UPDATE users SET status = $2 WHERE id = $1", [person.id, status]);
}

/** Returns "ok", or the error code of `work`. */
export const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
  );
