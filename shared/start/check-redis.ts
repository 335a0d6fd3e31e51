import { Redis } from "ioredis";
import { OperatorError } from "#shared/kernel/operator-error.ts";

/** @throws OperatorError, without the password, when the Redis of REDIS_URL cannot be used */
export async function checkRedis(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 5000 });
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
      `The Redis at ${host}:${port} (REDIS_URL) cannot be used: ${(reason ?? (error as Error)).message}`,
    );
  } finally {
    redis.disconnect();
  }
}
