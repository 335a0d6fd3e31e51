import type { Redis } from "ioredis";
import { consume, makeRateLimiter, type RateLimiter } from "#shared/kernel/rate-limiter.ts";

/** Six digits are few: a caller with the password may guess this often, from all addresses together. */
const triesMax = 5;
const windowSeconds = 15 * 60;

let tries: RateLimiter | undefined = makeTries();

function makeTries(redis?: Redis): RateLimiter {
  return makeRateLimiter({ keyPrefix: "second-factor", points: triesMax, duration: windowSeconds }, redis);
}

/** Sets where tries are counted: in Redis for all processes, else in memory; for load tests, nowhere. */
export function configureCodeTries(options: { enabled: boolean; redis?: Redis }): void {
  tries = options.enabled ? makeTries(options.redis) : undefined;
}

/**
 * Runs a check of a code of a second factor. Returns its result. It counts before it is made, so that
 * concurrent tries can't slip through; a right code clears the count.
 * @throws RATE_LIMITED after 5 wrong codes in 15 minutes
 */
export async function countCodeTry(id: string, check: () => Promise<boolean>): Promise<boolean> {
  if (tries) await consume(tries, id, "Too many incorrect codes. Try again later.");
  const right = await check();
  if (right) await tries?.delete(id);
  return right;
}
