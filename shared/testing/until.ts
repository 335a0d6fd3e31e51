import { setTimeout as pause } from "node:timers/promises";

/** Waits until a condition holds, checking every 5 ms. @throws Error naming the condition after `withinMs`. */
export async function until(what: string, holds: () => unknown, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await pause(5);
  }
}
