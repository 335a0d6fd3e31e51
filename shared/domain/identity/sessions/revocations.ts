import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { onSignal, onSignalsConnected } from "#shared/db/signals.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";

/**
 * Sessions and users that are revoked although their access tokens have not expired, kept in memory so that no call
 * queries the database. A token outlives its session by at most 15 minutes, so older revocations need not be kept.
 */
export interface Revoked {
  readonly sessionIds?: readonly string[];
  readonly userId?: string;
  /** All connections of callers for whom this is true. */
  readonly those?: (caller: UserPrincipal) => boolean;
  /** The error that a connection gets when it is closed because of this. */
  readonly code: "UNAUTHENTICATED" | "ACCOUNT_SUSPENDED" | "SANCTIONED";
}

/** The lifetime of an access token, and a minute for clock skew. */
const rememberedMs = minutesMs(16);

/** Id → when it may be forgotten, milliseconds since 1970; roughly in that order. */
const revokedSessions = new Map<string, number>();
const suspendedUsers = new Map<string, number>();

const listeners = new Set<(revoked: Revoked) => void>();
/** Changes that arrive while the state is loading: what is loaded may be older than they are. */
let arrivedWhileLoading: (() => void)[] | undefined;

export const isSessionRevoked = (sessionId: string): boolean => remembers(revokedSessions, sessionId);
export const isUserSuspended = (userId: string): boolean => remembers(suspendedUsers, userId);

/**
 * Calls `listener` for each revocation anywhere in the service, so that connections can be closed. It may be called
 * twice for the same: after a lost connection to the database, all revocations of the last minutes are repeated.
 */
export function onRevoked(listener: (revoked: Revoked) => void): void {
  listeners.add(listener);
}

function remembers(entries: Map<string, number>, id: string): boolean {
  const until = entries.get(id);
  return until !== undefined && until > clock.now();
}

function remember(entries: Map<string, number>, id: string, until: number): void {
  entries.delete(id);
  entries.set(id, until);
  for (const [oldest, forgetAt] of entries) {
    if (forgetAt > clock.now()) break;
    entries.delete(oldest);
  }
}

function notify(revoked: Revoked): void {
  for (const listener of listeners) {
    try {
      listener(revoked);
    } catch (error) {
      logger.error({ err: error }, "revocation listener failed");
    }
  }
}

/** Remembers sessions that have ended: by a transaction that this process has just committed, or by a signal. */
export function noteRevokedSessions(sessionIds: readonly string[]): void {
  change(() => {
    for (const id of sessionIds) remember(revokedSessions, id, clock.now() + rememberedMs);
  });
  notify({ sessionIds, code: "UNAUTHENTICATED" });
}

export function noteSuspendedUser(userId: string): void {
  change(() => remember(suspendedUsers, userId, clock.now() + rememberedMs));
  notify({ userId, code: "ACCOUNT_SUSPENDED" });
}

/** Closes the connections of a user whom a sanction keeps out. Their sessions go on: they may appeal. */
export const closeConnectionsOf = (userId: string): void => notify({ userId, code: "SANCTIONED" });

/** The same for those who come from where a sanction keeps them out. */
export const closeConnectionsThat = (those: (caller: UserPrincipal) => boolean): void =>
  notify({ those, code: "SANCTIONED" });

export function noteReactivatedUser(userId: string): void {
  change(() => void suspendedUsers.delete(userId));
}

function change(memory: () => void): void {
  arrivedWhileLoading?.push(memory);
  memory();
}

onSignal("session.revoked", ({ session_ids }) => noteRevokedSessions(session_ids));
onSignal("user.suspended", ({ user_id }) => noteSuspendedUser(user_id));
onSignal("user.reactivated", ({ user_id }) => noteReactivatedUser(user_id));
onSignalsConnected(loadRevocations);

/** Loads the revocations of the last 16 minutes: at start, and whenever signals may have been missed. */
async function loadRevocations(): Promise<void> {
  arrivedWhileLoading = [];
  try {
    const sessions = await query<{ id: string; until: string }>(
      `SELECT id, revoked_at + interval '16 minutes' AS until FROM sessions
       WHERE revoked_at > now() - interval '16 minutes' ORDER BY revoked_at`,
    );
    const users = await query<{ id: string; until: string }>(
      `SELECT id, suspended_at + interval '16 minutes' AS until FROM users
       WHERE status = 'suspended' AND suspended_at > now() - interval '16 minutes' ORDER BY suspended_at`,
    );
    suspendedUsers.clear();
    for (const { id, until } of users) remember(suspendedUsers, id, Date.parse(until));
    for (const { id, until } of sessions) remember(revokedSessions, id, Date.parse(until));
    for (const { id } of users) notify({ userId: id, code: "ACCOUNT_SUSPENDED" });
    if (sessions.length > 0) notify({ sessionIds: sessions.map(({ id }) => id), code: "UNAUTHENTICATED" });
  } finally {
    const changes = arrivedWhileLoading;
    arrivedWhileLoading = undefined;
    for (const memory of changes) memory();
  }
}
