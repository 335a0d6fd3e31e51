import { minimumAgeIn } from "#shared/domain/identity/sessions/standing.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";

const parts = (date: string): [number, number, number] => date.split("-").map(Number) as [number, number, number];

/** Returns whether `YYYY-MM-DD` is a calendar day. */
export function isCalendarDay(date: string): boolean {
  const [year, month, day] = parts(date);
  const read = new Date(Date.UTC(year, month - 1, day));
  return read.getUTCFullYear() === year && read.getUTCMonth() === month - 1 && read.getUTCDate() === day;
}

/**
 * Returns the full years from one day to another, both `YYYY-MM-DD`. Someone born on 29 February completes a year on
 * 1 March in years without that day.
 */
export function fullYears(born: string, on: string): number {
  const [bornYear, bornMonth, bornDay] = parts(born);
  const [year, month, day] = parts(on);
  const notYet = month < bornMonth || (month === bornMonth && day < bornDay);
  return year - bornYear - (notYet ? 1 : 0);
}

/**
 * Returns what is wrong with a date of birth: no day, in the future, or of a person who is too young for the service in
 * their country, if that is known.
 */
export function ageProblem(born: string, country?: string | null): FieldText | undefined {
  const field = "date_of_birth";
  const today = isoNow().slice(0, 10);
  if (!isCalendarDay(born) || born > today || born < "1900-01-01")
    return { field, text: "{{field}} must be a valid date of birth" };
  const minimum = minimumAgeIn(country);
  return fullYears(born, today) < minimum
    ? { field, text: "you must be at least {{count}} years old", values: { count: minimum } }
    : undefined;
}
