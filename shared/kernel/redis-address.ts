import type { RedisOptions } from "ioredis";

/**
 * Reads `redis[s]://[user:password@]host[:port][/database]` and options in the query, such as `?family=6`. The client
 * reads it by a function for which Node.js prints a warning at each start.
 */
export function redisAddress(url: string): RedisOptions {
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(url);
  const family = Number(searchParams.get("family"));
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || 6379),
    db: Number(pathname.slice(1)),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(family && { family }),
    ...(protocol === "rediss:" && { tls: {} }),
  };
}
