import { setTimeout as pause } from "node:timers/promises";

/**
 * Does `work` again until it succeeds, after each of these pauses, milliseconds, and then after the last of them each time.
 * It does not keep the process from ending.
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
