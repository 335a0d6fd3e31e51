import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * How much may be asked to be sent to one address, whoever asks and whether or not anybody has it: nobody's mailbox is
 * filled, no bill for text messages run up, and a code is not guessed by asking for one after the other (25 tries an hour
 * at a million codes).
 */
export const messagesPerHour = 5;

type Limiter = RateLimiterMemory | RateLimiterRedis;

let limiter: Limiter | undefined = makeLimiter();

/** Sets where messages are counted: Redis for all processes together, else memory; or, for load tests, nowhere. */
export function configureMessageLimits(options: { enabled: boolean; redis?: Redis }): void {
  limiter = options.enabled ? makeLimiter(options.redis) : undefined;
}

function makeLimiter(redis?: Redis): Limiter {
  const settings = { keyPrefix: "message", points: messagesPerHour, duration: 3600 };
  const memory = new RateLimiterMemory(settings);
  return redis ? new RateLimiterRedis({ ...settings, storeClient: redis, insuranceLimiter: memory }) : memory;
}

/**
 * Counts a message that is asked for.
 * @throws RATE_LIMITED with the seconds to wait
 */
export async function countMessage(about: string, address: string): Promise<void> {
  const key = createHash("sha256").update(`${about} ${address}`).digest("base64url").slice(0, 22);
  try {
    await limiter?.consume(key);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw new DomainError("RATE_LIMITED", "Too much was asked to be sent to this address.", {
      retryAfter: Math.max(1, Math.ceil(refused.msBeforeNext / 1000)),
    });
  }
}
