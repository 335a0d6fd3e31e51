import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { consume, makeRateLimiter, type RateLimiter } from "#shared/kernel/rate-limiter.ts";

/**
 * The maximum of messages to one address, by any requester and whether or not an account has it. It keeps
 * mailboxes from being flooded, bills for text messages from running up, and codes from being guessed by requesting one
 * after the other (25 tries an hour at a million codes).
 */
export const messagesPerHour = 5;

let limiter: RateLimiter | undefined = makeLimiter();

/** Sets where messages are counted: in Redis for all processes, else in memory; for load tests, nowhere. */
export function configureMessageLimits(options: { enabled: boolean; redis?: Redis }): void {
  limiter = options.enabled ? makeLimiter(options.redis) : undefined;
}

function makeLimiter(redis?: Redis): RateLimiter {
  return makeRateLimiter({ keyPrefix: "message", points: messagesPerHour, duration: 3600 }, redis);
}

/**
 * Counts a requested message.
 * @throws RATE_LIMITED with the seconds to wait
 */
export async function countMessage(about: string, address: string): Promise<void> {
  const key = createHash("sha256").update(`${about} ${address}`).digest("base64url").slice(0, 22);
  if (limiter) await consume(limiter, key, "Too many messages were requested for this address. Try again later.");
}
