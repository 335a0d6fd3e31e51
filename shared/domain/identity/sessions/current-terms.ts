import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { openWithoutTerms } from "#shared/contracts/terms-rights.ts";
import { query } from "#shared/db/query.ts";
import { onSignal, onSignalsConnected } from "#shared/db/signals.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * What users have accepted since tokens were issued that are still valid, kept in memory so that no call queries the
 * database. The lifetime of an access token, and a minute for clock skew.
 */
const rememberedMs = minutesMs(16);
const accepted = new Map<string, { readonly version: string; readonly until: number }>();

/**
 * Asserts that a caller has accepted the terms that hold: `name` is the ID of an operation, the name of an event, or
 * `connect`.
 * @throws TERMS_NOT_ACCEPTED
 */
export function assertTermsAccepted({ userId, terms }: Pick<UserPrincipal, "userId" | "terms">, name: string): void {
  const version = setting("terms_version");
  if (version === "" || terms === version || openWithoutTerms.has(name)) return;
  if (accepted.get(userId)?.version !== version) throw new DomainError("TERMS_NOT_ACCEPTED");
}

/** Remembers it: by a transaction that this process has just committed, or by a signal. */
export function noteAcceptedTerms(userId: string, version: string): void {
  accepted.delete(userId);
  accepted.set(userId, { version, until: clock.now() + rememberedMs });
  for (const [oldest, { until }] of accepted) {
    if (until > clock.now()) break;
    accepted.delete(oldest);
  }
}

onSignal("user.terms_accepted", ({ user_id, version }) => noteAcceptedTerms(user_id, version));
onSignalsConnected(async () => {
  const recent = await query<{ user_id: string; version: string }>(
    `SELECT user_id, version FROM terms_acceptances WHERE accepted_at > now() - interval '16 minutes' ORDER BY accepted_at`,
  );
  for (const { user_id, version } of recent) noteAcceptedTerms(user_id, version);
});
