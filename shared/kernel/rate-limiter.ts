import { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { DomainError } from "./domain-error.ts";
import { logger } from "./logger.ts";
import { redisOptions, revived } from "./redis-options.ts";

export type RateLimiter = RateLimiterMemory | RateLimiterRedis;

interface Settings {
  readonly keyPrefix: string;
  /** Number of points per key in `duration` seconds. */
  readonly points: number;
  readonly duration: number;
}

/** A Redis server that doesn't respond for this long is considered unresponsive, milliseconds. */
const responseTimeoutMs = 1000;

/**
 * Connects to the Redis server that holds the counters of all processes. Commands fail immediately while it is
 * unreachable, and a command without a response closes the connection.
 */
export function connectCounters(url: string): Redis {
  const redis = new Redis({
    ...redisOptions(url, "counters"),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    socketTimeout: responseTimeoutMs,
  });
  redis.on("error", (error) => logger.warn({ err: error }, "redis connection"));
  return revived(redis);
}

/**
 * Returns a rate limiter that counts in Redis, for all processes together. Without Redis, or while it is unreachable,
 * counts in memory.
 */
export function makeRateLimiter(settings: Settings, redis?: Redis): RateLimiter {
  const memory = new RateLimiterMemory(settings);
  return redis ? new RateLimiterRedis({ ...settings, storeClient: redis, insuranceLimiter: memory }) : memory;
}

/** Consumes a point of a key. Returns the state of its limit. @throws RATE_LIMITED with the seconds to wait */
export const consume = (limiter: RateLimiter, key: string, message?: string): Promise<RateLimiterRes> =>
  limiter.consume(key).catch((reason: unknown) => throwRateLimited(reason, message));

/** Throws RATE_LIMITED with the seconds to wait. Rethrows a reason that doesn't come from a limiter. */
export function throwRateLimited(reason: unknown, message?: string): never {
  if (!(reason instanceof RateLimiterRes)) throw reason;
  throw new DomainError("RATE_LIMITED", message, { retryAfter: Math.max(1, Math.ceil(reason.msBeforeNext / 1000)) });
}
