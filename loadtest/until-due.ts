import { setTimeout as pause } from "node:timers/promises";

/** Waits until a time by `performance.now()`; not at all if it has passed. */
export async function untilDue(dueMs: number): Promise<void> {
  const earlyMs = dueMs - performance.now();
  if (earlyMs > 0) await pause(earlyMs);
}
