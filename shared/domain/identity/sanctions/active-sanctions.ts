import type { UserPrincipal } from "#shared/contracts/principal.ts";
import {
  openWhileSanctioned,
  type SanctionCover,
  type SanctionKind,
  sanctionKindOf,
} from "#shared/contracts/sanction-rights.ts";
import { keepCurrent } from "#shared/db/keep-current.ts";
import { query } from "#shared/db/query.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { closeConnectionsOf, closeConnectionsThat } from "../sessions/revocations.ts";
import { hashOfNetwork } from "./covered.ts";

interface Active {
  readonly id: string;
  readonly user_id: string;
  readonly kinds: readonly SanctionKind[];
  readonly until: string | null;
  readonly reason: string;
  readonly covered:
    | readonly {
        readonly kind: SanctionCover;
        /** In hexadecimal digits. */
        readonly hash: string;
        /** Those that are open on a device. */
        readonly sessions: readonly string[];
      }[]
    | null;
}

/** Those that hold, by user, in memory: a check costs nothing, and a change holds everywhere within moments. */
let active = new Map<string, readonly Active[]>();
/** Those that cover devices and networks, by the sessions that are open there, and by the networks' hashes. */
let bySession = new Map<string, Active[]>();
let byNetwork = new Map<string, Active[]>();

/** A user, and where they come from. */
type Caller = Pick<UserPrincipal, "userId"> & Partial<Pick<UserPrincipal, "sessionId" | "address">>;

/** Returns those that concern a caller because of where they come from. */
function coveringOf({ sessionId, ...from }: Omit<Caller, "userId">): readonly Active[] {
  const ofSession = (sessionId && bySession.get(sessionId)) || [];
  if (byNetwork.size === 0 || !from.address) return ofSession;
  return [...ofSession, ...(byNetwork.get(hashOfNetwork(from.address).toString("hex")) ?? [])];
}

const holds = ({ until }: Active): boolean => until === null || Date.parse(until) > clock.now();

/**
 * Asserts that no sanction keeps a caller from something: `name` is the ID of an operation, or the name of an event, or
 * `connect`.
 * @throws SANCTIONED with the reason
 */
export function assertNotSanctioned(caller: Caller, name: string): void {
  const own = active.get(caller.userId) ?? [];
  if (own.length === 0 && bySession.size === 0 && byNetwork.size === 0) return;
  if (openWhileSanctioned.has(name)) return;
  const kind = sanctionKindOf.get(name);
  const refuses = (one: Active) =>
    holds(one) && (one.kinds.includes("login") || (kind !== undefined && one.kinds.includes(kind)));
  const sanction = own.find(refuses) ?? coveringOf(caller).find(refuses);
  if (sanction) throw new DomainError("SANCTIONED", sanction.reason);
}

const readActive = (userId?: string): Promise<Active[]> =>
  query<Active>(
    `SELECT s.id, s.user_id, s.kinds, s.until, s.reason, (
       SELECT json_agg(json_build_object('kind', t.kind, 'hash', encode(t.hash, 'hex'), 'sessions', (
         SELECT coalesce(json_agg(o.id), '[]') FROM sessions o
         WHERE o.device_hash = t.hash AND o.revoked_at IS NULL AND o.expires_at > now()
       ))) FROM sanction_targets t WHERE t.sanction_id = s.id
     ) AS covered
     FROM sanctions s
     WHERE s.kinds <> '{}' AND NOT s.suspends AND s.lifted_at IS NULL AND (s.until IS NULL OR s.until > now())
       AND s.user_id = coalesce($1, s.user_id)
     ORDER BY s.id`,
    [userId ?? null],
  );

const add = (to: Map<string, Active[]>, key: string, one: Active) => to.set(key, [...(to.get(key) ?? []), one]);

function indexCovered(): void {
  bySession = new Map();
  byNetwork = new Map();
  for (const one of [...active.values()].flat())
    for (const { kind, hash, sessions } of one.covered ?? [])
      if (kind === "network") add(byNetwork, hash, one);
      else for (const id of sessions) add(bySession, id, one);
}

/** Closes the connections of those who are kept out, and of those who may not speak any longer where they come from. */
function closeConnections(users: Iterable<string>, known: ReadonlySet<string>): void {
  let covers = false;
  for (const userId of users) {
    const own = active.get(userId) ?? [];
    if (own.some(({ kinds }) => kinds.includes("login"))) closeConnectionsOf(userId);
    covers ||= own.some(({ covered }) => covered !== null);
  }
  const isLeft = ({ id, kinds }: Active) => kinds.includes("login") || (kinds.includes("mic") && !known.has(id));
  if (covers) closeConnectionsThat((caller) => coveringOf(caller).some((one) => holds(one) && isLeft(one)));
}

const knownIds = (): ReadonlySet<string> => new Set([...active.values()].flat().map(({ id }) => id));

const load = keepCurrent("user.sanctioned", async (changed) => {
  const rows = await readActive(changed?.user_id);
  const known = knownIds();
  if (changed) setActive(changed.user_id, rows);
  else {
    active = Map.groupBy(rows, ({ user_id }) => user_id);
    indexCovered();
  }
  closeConnections(changed ? [changed.user_id] : active.keys(), known);
});

function setActive(userId: string, rows: readonly Active[]): void {
  const covered = [...(active.get(userId) ?? []), ...rows].some((one) => one.covered !== null);
  if (rows.length > 0) active.set(userId, rows);
  else active.delete(userId);
  if (covered) indexCovered();
}

/** Reads again what holds of one user, after a commit. The connections of those who are kept out are closed. */
export const reloadSanctions = (userId: string): Promise<void> => load({ user_id: userId });
