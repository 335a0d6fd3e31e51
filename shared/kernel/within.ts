import { setTimeout as pause } from "node:timers/promises";

/** Waits for work, which isn't stopped when it takes longer. @throws Error with the message when it does */
export async function within<T>(limitMs: number, work: Promise<T>, message: string): Promise<T> {
  const timer = new AbortController();
  const late = pause(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(message);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    await late.catch(() => undefined); // Only the race's outcome counts.
  }
}
