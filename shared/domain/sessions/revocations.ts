import { query } from "#shared/db/query.ts";
import { onSignal, onSignalsConnected } from "#shared/db/signals.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";

/**
 * What may no longer call although its access token has not expired, kept in memory so that no call asks the database.
 * A token outlives the end of its session by 15 minutes at the most, so nothing older than that needs to be known.
 */
export interface Revoked {
  readonly sessionIds?: readonly string[];
  readonly userId?: string;
  /** What a connection that is closed for this is told. */
  readonly code: "UNAUTHENTICATED" | "ACCOUNT_SUSPENDED";
}

/** The life of an access token and a minute for clocks that differ. */
const rememberedMs = minutesMs(16);

/** Id → when it may be forgotten, milliseconds since 1970; about in that order. */
const revokedSessions = new Map<string, number>();
const suspendedUsers = new Map<string, number>();

const listeners = new Set<(revoked: Revoked) => void>();
/** Changes that come while the truth is being read: what was read may be older than they are. */
let arrivedWhileLoading: (() => void)[] | undefined;

export const isSessionRevoked = (sessionId: string): boolean => remembers(revokedSessions, sessionId);
export const isUserSuspended = (userId: string): boolean => remembers(suspendedUsers, userId);

/**
 * Tells when something is revoked anywhere in the service, so that its connections can be closed. May tell the same thing
 * twice: after a lost connection to the database everything of the last minutes comes again.
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

function tell(revoked: Revoked): void {
  for (const listener of listeners) {
    try {
      listener(revoked);
    } catch (error) {
      logger.error({ err: error }, "a listener of revocations failed");
    }
  }
}

/** Sessions that have ended: by a transaction of this process that has just committed, or by a signal of another's. */
export function noteRevokedSessions(sessionIds: readonly string[]): void {
  change(() => {
    for (const id of sessionIds) remember(revokedSessions, id, clock.now() + rememberedMs);
  });
  tell({ sessionIds, code: "UNAUTHENTICATED" });
}

export function noteSuspendedUser(userId: string): void {
  change(() => remember(suspendedUsers, userId, clock.now() + rememberedMs));
  tell({ userId, code: "ACCOUNT_SUSPENDED" });
}

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

/** Reads what was revoked in the last 16 minutes: at start, and whenever signals may have been missed. */
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
    for (const { id } of users) tell({ userId: id, code: "ACCOUNT_SUSPENDED" });
    if (sessions.length > 0) tell({ sessionIds: sessions.map(({ id }) => id), code: "UNAUTHENTICATED" });
  } finally {
    const changes = arrivedWhileLoading;
    arrivedWhileLoading = undefined;
    for (const memory of changes) memory();
  }
}
