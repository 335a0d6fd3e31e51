import { openWhileSanctioned, type SanctionKind, sanctionKindOf } from "#shared/contracts/sanction-rights.ts";
import { query } from "#shared/db/query.ts";
import { onSignal, onSignalsConnected } from "#shared/db/signals.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { closeConnectionsOf } from "../sessions/revocations.ts";

interface Active {
  readonly user_id: string;
  readonly kinds: readonly SanctionKind[];
  readonly until: string | null;
  readonly reason: string;
}

/** Those that hold, by user, in memory: a check costs nothing, and a change holds everywhere within moments. */
let active = new Map<string, readonly Active[]>();

const holding = "kinds <> '{}' AND lifted_at IS NULL AND (until IS NULL OR until > now())";

/**
 * Asserts that no sanction keeps a user from something: `name` is the ID of an operation, or the name of an event,
 * or `connect`.
 * @throws SANCTIONED with the reason
 */
export function assertNotSanctioned(userId: string, name: string): void {
  const own = active.get(userId);
  if (!own || openWhileSanctioned.has(name)) return;
  const kind = sanctionKindOf.get(name);
  const sanction = own.find(
    ({ kinds, until }) =>
      (until === null || Date.parse(until) > clock.now()) &&
      (kinds.includes("login") || (kind !== undefined && kinds.includes(kind))),
  );
  if (sanction) throw new DomainError("SANCTIONED", sanction.reason);
}

let reading: Promise<void> = Promise.resolve();

/** Reads one after another, so that an older result never overwrites a newer. */
function next(read: () => Promise<void>): Promise<void> {
  reading = reading.catch(() => undefined).then(read);
  return reading;
}

const isKeptOut = (userId: string): boolean =>
  active.get(userId)?.some(({ kinds }) => kinds.includes("login")) ?? false;

/**
 * Reads again what holds of one user: after a commit of this process, or by a signal. The connections of a user who is
 * kept out are closed.
 */
export const reloadSanctions = (userId: string): Promise<void> =>
  next(async () => {
    const rows = await query<Active>(
      `SELECT user_id, kinds, until, reason FROM sanctions WHERE user_id = $1 AND ${holding} ORDER BY id`,
      [userId],
    );
    if (rows.length > 0) active.set(userId, rows);
    else active.delete(userId);
    if (isKeptOut(userId)) closeConnectionsOf(userId);
  });

onSignal("user.sanctioned", ({ user_id }) => {
  reloadSanctions(user_id).catch((error: unknown) => logger.error({ err: error }, "sanctions could not be reloaded"));
});
onSignalsConnected(() =>
  next(async () => {
    const rows = await query<Active>(
      `SELECT user_id, kinds, until, reason FROM sanctions WHERE ${holding} ORDER BY id`,
    );
    active = Map.groupBy(rows, ({ user_id }) => user_id);
    for (const userId of active.keys()) if (isKeptOut(userId)) closeConnectionsOf(userId);
  }),
);
