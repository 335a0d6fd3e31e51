import { setTimeout as pause } from "node:timers/promises";

/**
 * Repeats `work` until it succeeds, after each of these pauses in milliseconds, then always after the last one.
 * Doesn't keep the process alive.
 */
export async function untilDone(
  work: () => Promise<unknown>,
  { pausesMs, onFailure }: { pausesMs: readonly number[]; onFailure: (error: unknown) => void },
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      onFailure(error);
      await pause(pausesMs[Math.min(attempt, pausesMs.length - 1)], undefined, { ref: false });
    }
  }
}
