import { daysMs } from "#shared/kernel/clock.ts";

/** An ISO week: from Monday to Monday, midnight UTC. */
export interface Week {
  /** Its Monday, `YYYY-MM-DD`, by which it is stored. */
  readonly monday: string;
  readonly startsAt: string;
  /** Start of the next week. */
  readonly endsAt: string;
}

const weekMs = daysMs(7);
/** Start of the first Monday after 1970 began. */
const firstMondayMs = daysMs(4);

/** Returns the week that contains a time. */
export function weekOf(atMs: number): Week {
  const startMs = Math.floor((atMs - firstMondayMs) / weekMs) * weekMs + firstMondayMs;
  const startsAt = new Date(startMs).toISOString();
  return { monday: startsAt.slice(0, 10), startsAt, endsAt: new Date(startMs + weekMs).toISOString() };
}
