import { daysMs } from "#shared/kernel/clock.ts";

/** An ISO week: from Monday to Monday, midnight UTC. */
export interface Week {
  /** Its Monday, `YYYY-MM-DD`: what it is stored by. */
  readonly monday: string;
  readonly startsAt: string;
  /** The first moment of the next one. */
  readonly endsAt: string;
}

const weekMs = daysMs(7);
/** The first Monday after 1970 began. */
const firstMondayMs = daysMs(4);

/** The week that a moment is in. */
export function weekOf(atMs: number): Week {
  const startMs = Math.floor((atMs - firstMondayMs) / weekMs) * weekMs + firstMondayMs;
  const startsAt = new Date(startMs).toISOString();
  return { monday: startsAt.slice(0, 10), startsAt, endsAt: new Date(startMs + weekMs).toISOString() };
}
