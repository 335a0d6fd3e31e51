import { setTimeout as pause } from "node:timers/promises";

/** Waits until a condition holds, looking every 5 ms. @throws Error that names it when it does not within `withinMs`. */
export async function until(what: string, holds: () => unknown, withinMs = 5000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await pause(5);
  }
}
