/** The only place that reads the wall clock, so that tests can move it. Milliseconds since 1970, UTC. */
export const clock = {
  now: (): number => Date.now(),
};

export const isoNow = (): string => new Date(clock.now()).toISOString();

export const secondsMs = (seconds: number): number => seconds * 1000;
export const minutesMs = (minutes: number): number => minutes * 60_000;
export const daysMs = (days: number): number => days * 86_400_000;

/** Returns when the month of this time began, or one so many months later; UTC. */
export function startOfMonth(atMs: number, months = 0): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months);
}
