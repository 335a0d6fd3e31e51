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
