import { HubbubError } from "./errors.ts";

/** Waits. Doesn't keep a process of Node running. */
export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    detached(setTimeout(resolve, ms));
  });

/** Waits for something else to end. @throws HubbubError TIMEOUT */
export async function within(ms: number, wait: Promise<unknown> | undefined): Promise<void> {
  if (!wait) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new HubbubError("TIMEOUT", `No connection within ${ms} ms.`)), ms);
  });
  await Promise.race([wait, late]).finally(() => clearTimeout(timer));
}

/** Lets a process of Node end before this timer. Elsewhere, timers are numbers. */
export function detached<Timer>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

/**
 * Milliseconds before the next attempt, the first being 0: 250, 500, 1000 … up to 15 s, each ± 50%, so that clients
 * spread.
 */
export const backoff = (attempt: number): number => Math.min(15_000, 250 * 2 ** attempt) * (0.5 + Math.random());

/**
 * Returns a key that no other call uses. Pages without TLS have no `crypto.randomUUID`, and React Native may have no
 * `crypto`. Keys need not be secret: they count only together with the caller.
 */
export function newKey(): string {
  const { crypto } = globalThis as { crypto?: { getRandomValues?: (numbers: Uint32Array) => Uint32Array } };
  const numbers = new Uint32Array(4);
  if (crypto?.getRandomValues) crypto.getRandomValues(numbers);
  else for (const index of numbers.keys()) numbers[index] = Math.random() * 2 ** 32;
  return Array.from(numbers, (number) => number.toString(36)).join("-");
}
