import { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { DomainError } from "./domain-error.ts";
import { logger } from "./logger.ts";

export type RateLimiter = RateLimiterMemory | RateLimiterRedis;

interface Settings {
  readonly keyPrefix: string;
  /** How many a key may have in `duration` seconds. */
  readonly points: number;
  readonly duration: number;
}

/** A Redis that says nothing for so long hangs, milliseconds. */
const silenceMs = 1000;

/**
 * Connects to the Redis in which all processes count. Calls do not wait for one that is away or hangs: what is asked of it
 * fails at once, and a command that hangs ends the connection.
 */
export function connectCounters(url: string): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, socketTimeout: silenceMs });
  redis.on("error", (error) => logger.warn({ err: error }, "redis connection"));
  return redis;
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
