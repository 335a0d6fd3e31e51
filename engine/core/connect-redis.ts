import { Redis } from "ioredis";
import { logger } from "#shared/kernel/logger.ts";
import { redisOptions, revived } from "#shared/kernel/redis-options.ts";

/** Maximum pause between attempts to reconnect to Redis. */
const reconnectMs = 500;
/** A Redis that doesn't respond for this long counts as unavailable, milliseconds. */
const responseTimeoutMs = 2000;

/**
 * Connects to the Redis that the processes share. It connects again whenever the connection is lost, and logs
 * that, as do its duplicates.
 */
export function connectRedis(url: string): Redis {
  const redis = new Redis({
    ...redisOptions(url, "rooms"),
    maxRetriesPerRequest: 2,
    enableReadyCheck: false,
    // With it, a connection that ends right after it began can be taken for a ready one, and isn't replaced (ioredis
    // 5.9).
    disableClientInfo: true,
    commandTimeout: responseTimeoutMs,
    socketTimeout: responseTimeoutMs,
    // All processes reconnect soon after Redis is back, so a process waits a while before it considers others dead.
    retryStrategy: (times) => Math.min(times * 50, reconnectMs),
  });
  return steady(redis);
}

/**
 * Without a listener, ioredis prints the stack of each failed attempt. A duplicate doesn't take the listeners over.
 */
function steady(redis: Redis): Redis {
  redis.on("error", (error) => logger.warn({ err: error.message }, "redis connection"));
  revived(redis);
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...override) => steady(duplicate(...override));
  return redis;
}
