import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { makeRateLimiter, type RateLimiter, take } from "#shared/kernel/rate-limiter.ts";

/**
 * How much may be asked to be sent to one address, whoever asks and whether or not anybody has it: nobody's mailbox is
 * filled, no bill for text messages run up, and a code is not guessed by asking for one after the other (25 tries an hour
 * at a million codes).
 */
export const messagesPerHour = 5;

let limiter: RateLimiter | undefined = makeLimiter();

/** Sets where messages are counted: Redis for all processes together, else memory; or, for load tests, nowhere. */
export function configureMessageLimits(options: { enabled: boolean; redis?: Redis }): void {
  limiter = options.enabled ? makeLimiter(options.redis) : undefined;
}

function makeLimiter(redis?: Redis): RateLimiter {
  return makeRateLimiter({ keyPrefix: "message", points: messagesPerHour, duration: 3600 }, redis);
}

/**
 * Counts a message that is asked for.
 * @throws RATE_LIMITED with the seconds to wait
 */
export async function countMessage(about: string, address: string): Promise<void> {
  const key = createHash("sha256").update(`${about} ${address}`).digest("base64url").slice(0, 22);
  if (limiter) await take(limiter, key, "Too much was asked to be sent to this address.");
}
