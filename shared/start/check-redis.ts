import { Redis } from "ioredis";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { redisAddress } from "#shared/kernel/redis-address.ts";

/** @throws OperatorError if the Redis server at REDIS_URL can't be used. The message doesn't contain the password. */
export async function checkRedis(url: string): Promise<void> {
  const redis = new Redis({ ...redisAddress(url), lazyConnect: true, retryStrategy: () => null, connectTimeout: 5000 });
  let reason: Error | undefined;
  redis.on("error", (error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const { host, port } = redis.options;
    throw new OperatorError(
      `Can't use the Redis server at ${host}:${port} (REDIS_URL): ${(reason ?? (error as Error)).message}`,
    );
  } finally {
    redis.disconnect();
  }
}
