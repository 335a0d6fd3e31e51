import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { DomainError } from "./domain-error.ts";

export type RateLimiter = RateLimiterMemory | RateLimiterRedis;

interface Settings {
  readonly keyPrefix: string;
  /** How many a key may have in `duration` seconds. */
  readonly points: number;
  readonly duration: number;
}

/** Counts in memory, or in Redis for all processes together; when Redis is away, in memory again. */
export function makeRateLimiter(settings: Settings, redis?: Redis): RateLimiter {
  const memory = new RateLimiterMemory(settings);
  return redis ? new RateLimiterRedis({ ...settings, storeClient: redis, insuranceLimiter: memory }) : memory;
}

/** Counts one more of a key; answers how many there are. @throws RATE_LIMITED with the seconds to wait */
export const take = (limiter: RateLimiter, key: string, message?: string): Promise<RateLimiterRes> =>
  limiter.consume(key).catch((reason: unknown) => refuse(reason, message));

/** @throws RATE_LIMITED with the seconds to wait; the reason itself when it is no limiter's */
export function refuse(reason: unknown, message?: string): never {
  if (!(reason instanceof RateLimiterRes)) throw reason;
  throw new DomainError("RATE_LIMITED", message, { retryAfter: Math.max(1, Math.ceil(reason.msBeforeNext / 1000)) });
}
