import { readFileSync } from "node:fs";
import type { Redis, RedisOptions } from "ioredis";
import { redisAddress } from "./redis-address.ts";
import { ownerConnector, partPrefix, type RedisPart } from "./redis-cluster.ts";

/** When a client that has ended by itself connects again, milliseconds. */
const reviveMs = 200;
/** How long a connection may take to be made, and Sentinel to answer, milliseconds. */
const [connectMs, sentinelMs] = [2000, 1000];

/** What a server says that was replaced by another, and answers all the same. */
const isElsewhere = ({ message }: Error): boolean => /^(READONLY|MOVED|CLUSTERDOWN|MASTERDOWN)\b/.test(message);

/**
 * Returns how a client connects to the Redis at an address, be it a server, the one that Sentinels name, or the node of
 * a cluster that owns the part's keys.
 * @throws Error if the address is invalid, or the file of its authority can't be read
 */
export function redisOptions(url: string, part: RedisPart): RedisOptions {
  const { kind, hosts, name, database: db, username, password, isEncrypted, query } = redisAddress(url);
  const { ca, family, sentinel_username: sentinelUsername, sentinel_password: sentinelPassword } = query;
  const tls = ca ? { ca: readFileSync(ca) } : {};
  const common: RedisOptions = {
    connectTimeout: connectMs,
    reconnectOnError: isElsewhere,
    ...(username && { username }),
    ...(password && { password }),
    ...(family && { family: Number(family) }),
    ...(isEncrypted && { tls }),
  };
  if (kind === "server") return { ...common, ...hosts[0], db };
  if (kind === "cluster") return { ...common, keyPrefix: partPrefix(part), Connector: ownerConnector(hosts, common) };
  return {
    ...common,
    sentinels: hosts.map((host) => ({ ...host })),
    name,
    db,
    sentinelCommandTimeout: sentinelMs,
    // A server that was replaced without dying takes writes for some seconds more, until Sentinel has it follow.
    failoverDetector: true,
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
    ...(isEncrypted && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  };
}

/** Returns what makes a duplicate of a client one for another part. */
export const forPart = ({ keyPrefix }: RedisOptions, part: RedisPart): RedisOptions =>
  keyPrefix ? { keyPrefix: partPrefix(part) } : {};

/**
 * Has a client connect again when it ends without being told to: ioredis gives one up for good if a failover is
 * announced while it asks where to connect. Returns it.
 */
export function revived(redis: Redis): Redis {
  let isOver = false;
  const [disconnect, quit] = [redis.disconnect.bind(redis), redis.quit.bind(redis)];
  redis.disconnect = (reconnect = false) => {
    isOver ||= !reconnect;
    disconnect(reconnect);
  };
  redis.quit = () => {
    isOver = true;
    return quit();
  };
  const connect = () => {
    if (!isOver && redis.status === "end") redis.connect().catch(() => {}); // Its listeners have heard of that.
  };
  redis.on("end", () => setTimeout(connect, reviveMs).unref());
  return redis;
}
