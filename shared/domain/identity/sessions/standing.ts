import { type AgeBand, bandOf } from "#shared/contracts/age-rights.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";

/** What an access token says of its user besides who they are. */
export interface Standing {
  readonly isGuest?: true;
  /** Of a minor, or of an account that is frozen. */
  readonly age?: AgeBand | "frozen";
  /** The version of the terms that they accepted last. */
  readonly terms?: string;
}

/** The columns that tell a user's standing, in a query of `users u`. */
export const standingColumns = `
  u.is_guest, u.country, extract(year FROM age((now() AT TIME ZONE 'UTC')::date, u.date_of_birth))::int AS born_years_ago,
  (SELECT jsonb_build_object('lower', lower, 'upper', upper, 'consent', consent)
   FROM age_signals a WHERE a.user_id = u.id) AS age_signal,
  (SELECT version FROM terms_acceptances t WHERE t.user_id = u.id ORDER BY accepted_at DESC LIMIT 1) AS terms`;

export interface StandingRow {
  readonly is_guest: boolean;
  readonly country: string | null;
  readonly born_years_ago: number | null;
  readonly age_signal: {
    readonly lower: number | null;
    readonly upper: number | null;
    readonly consent: string;
  } | null;
  readonly terms: string | null;
}

/** Returns the age in years below which a country's people can't use the service. */
export function minimumAgeIn(country: string | null | undefined): number {
  const ofCountry = setting("minimum_ages").find((entry) => entry.startsWith(`${country}:`));
  return ofCountry ? Number(ofCountry.slice(3)) : setting("minimum_age");
}

/**
 * Returns a user's standing. What a store says of their age counts more than the date of birth that they typed. An
 * account is frozen while a guardian's consent is withdrawn, and while a store says that its user is too young.
 */
export function standingOf({ is_guest, country, born_years_ago, age_signal, terms }: StandingRow): Standing {
  const age = isFrozen(country, age_signal) ? "frozen" : bandOf(yearsOf(age_signal) ?? born_years_ago ?? 18);
  return { ...(is_guest && { isGuest: true }), ...(age && { age }), ...(terms && { terms }) };
}

const isFrozen = (country: string | null, signal: StandingRow["age_signal"]): boolean =>
  signal?.consent === "withdrawn" || (signal?.upper ?? 150) < minimumAgeIn(country);

/** Returns the highest age that a signal allows; undefined if it doesn't say. */
const yearsOf = (signal: StandingRow["age_signal"]): number | undefined =>
  signal?.upper ?? ((signal?.lower ?? 0) >= 18 ? 18 : undefined);
