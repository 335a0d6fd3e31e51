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

/**
 * SQL: the age of the users row `u` in full years, null if it isn't known. What a store says counts more than the date
 * of birth that they typed: the highest age that it allows, or that they are an adult.
 */
export const ageYears = `coalesce(
  (SELECT coalesce(a.upper, CASE WHEN a.lower >= 18 THEN 18 END) FROM age_signals a WHERE a.user_id = u.id),
  extract(year FROM age((now() AT TIME ZONE 'UTC')::date, u.date_of_birth))::int)`;

/** The columns that tell a user's standing, in a query of `users u`. */
export const standingColumns = `
  u.is_guest, u.country, ${ageYears} AS years, (SELECT jsonb_build_object('upper', upper, 'consent', consent)
   FROM age_signals a WHERE a.user_id = u.id) AS age_signal,
  (SELECT version FROM terms_acceptances t WHERE t.user_id = u.id ORDER BY accepted_at DESC LIMIT 1) AS terms`;

export interface StandingRow {
  readonly is_guest: boolean;
  readonly country: string | null;
  readonly years: number | null;
  readonly age_signal: { readonly upper: number | null; readonly consent: string } | null;
  readonly terms: string | null;
}

/** Returns the age in years below which a country's people can't use the service. */
export function minimumAgeIn(country: string | null | undefined): number {
  const ofCountry = setting("minimum_ages").find((entry) => entry.startsWith(`${country}:`));
  return ofCountry ? Number(ofCountry.slice(3)) : setting("minimum_age");
}

/**
 * Returns a user's standing. An account is frozen while a guardian's consent is withdrawn, and while a store says that
 * its user is too young.
 */
export function standingOf({ is_guest, country, years, age_signal, terms }: StandingRow): Standing {
  const age = isFrozen(country, age_signal) ? "frozen" : bandOf(years ?? 18);
  return { ...(is_guest && { isGuest: true }), ...(age && { age }), ...(terms && { terms }) };
}

const isFrozen = (country: string | null, signal: StandingRow["age_signal"]): boolean =>
  signal?.consent === "withdrawn" || (signal?.upper ?? 150) < minimumAgeIn(country);
