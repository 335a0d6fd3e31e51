import type { AgeBand } from "#shared/contracts/age-rights.ts";
import type { KeyHolderPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { onSignal, onSignalsConnected } from "#shared/db/signals.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { type StandingRow, standingColumns, standingOf } from "./standing.ts";

type Age = AgeBand | "frozen" | null;

/**
 * Ages that have changed since tokens were issued that are still valid, kept in memory so that no call queries the
 * database. The lifetime of an access token, and a minute for clock skew.
 */
const rememberedMs = minutesMs(16);
const changed = new Map<string, { readonly age: Age; readonly until: number }>();

/** Returns a caller's age band, or that the account is frozen, as of now; null for adults. */
export function currentAge({ userId, age }: Pick<UserPrincipal | KeyHolderPrincipal, "userId" | "age">): Age {
  const known = changed.get(userId);
  return known && known.until > clock.now() ? known.age : (age ?? null);
}

/** Remembers an age: by a transaction that this process has just committed, or by a signal. */
export function noteChangedAge(userId: string, age: Age): void {
  changed.delete(userId);
  changed.set(userId, { age, until: clock.now() + rememberedMs });
  for (const [oldest, { until }] of changed) {
    if (until > clock.now()) break;
    changed.delete(oldest);
  }
}

onSignal("user.age_changed", ({ user_id, age }) => noteChangedAge(user_id, age));
onSignalsConnected(async () => {
  const recent = await query<StandingRow & { id: string }>(
    `SELECT u.id, ${standingColumns} FROM age_signals s JOIN users u ON u.id = s.user_id
     WHERE s.received_at > now() - interval '16 minutes' ORDER BY s.received_at`,
  );
  for (const row of recent) noteChangedAge(row.id, standingOf(row).age ?? null);
});
