import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";

/**
 * How long a lock outlives its holder, and how often the holder renews it, milliseconds. A process that got no answer
 * when it took the lock may have taken it, and doesn't know.
 */
const [leaseMs, renewMs] = [3000, 1000];
/** How long it can be held, and how long one waits for it, milliseconds. */
const heldMs = 10_000;
/** How often one looks whether it is free, milliseconds. */
const retryMs = 25;

/** Both act on a lock only if it is still ours. */
const releaseScript = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`;
const renewScript = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end`;

/**
 * Takes a lock in Redis. It doesn't prevent everything: one who holds it for longer than 10 seconds, or was stopped for
 * a while, finds it taken by another.
 * `holder`: whom its value names, for the log of others that wait.
 * @returns what releases it, which never rejects
 * @throws ENGINE_UNAVAILABLE when it is not free for 10 seconds; the error of Redis
 */
export async function takeLock(redis: Redis, key: string, holder = ""): Promise<() => Promise<void>> {
  const token = `${holder} ${newId()}`;
  const untilMs = performance.now() + heldMs;
  while ((await redis.set(key, token, "PX", leaseMs, "NX")) === null) {
    if (performance.now() > untilMs) throw new DomainError("ENGINE_UNAVAILABLE", undefined, { retryAfter: 1 });
    await pause(retryMs);
  }
  const endMs = performance.now() + heldMs - leaseMs;
  const renewing = setInterval(() => {
    if (performance.now() > endMs) clearInterval(renewing);
    else redis.eval(renewScript, 1, key, token, leaseMs).catch(() => {}); // It expires, and is free.
  }, renewMs);
  return async () => {
    clearInterval(renewing);
    await redis.eval(releaseScript, 1, key, token).catch(() => {}); // It expires.
  };
}
