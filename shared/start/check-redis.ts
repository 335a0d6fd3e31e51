import { Redis } from "ioredis";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { redisAddress, redisHosts } from "#shared/kernel/redis-address.ts";
import { redisOptions } from "#shared/kernel/redis-options.ts";

/** @throws OperatorError if the Redis at REDIS_URL can't be used. The message doesn't contain the password. */
export async function checkRedis(url: string): Promise<void> {
  const address = redisAddress(url);
  const where = `the Redis ${address.kind} at ${redisHosts(address)} (REDIS_URL)`;
  let redis: Redis | undefined;
  let reason: Error | undefined;
  let isNode: boolean;
  try {
    redis = new Redis({
      ...redisOptions(url, "rooms"),
      lazyConnect: true,
      // Its connections to Sentinels would report what ends them as unhandled.
      failoverDetector: false,
      retryStrategy: () => null,
      sentinelRetryStrategy: () => null,
      connectTimeout: 5000,
      commandTimeout: 5000,
    });
    redis.on("error", (error) => {
      reason = error;
    });
    await redis.connect();
    await redis.ping();
    // A server that is none refuses the question.
    isNode = await redis.cluster("SLOTS").then(
      () => true,
      () => false,
    );
  } catch (error) {
    throw new OperatorError(`Can't use ${where}: ${(reason ?? (error as Error)).message}`);
  } finally {
    redis?.disconnect();
  }
  if (isNode && address.kind !== "cluster")
    throw new OperatorError(`Can't use ${where}: it is a node of a cluster. Use redis-cluster://host:port,host:port.`);
}
