export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** Where the processes find Redis, as `REDIS_URL` says. */
export interface RedisAddress {
  readonly kind: "server" | "sentinel" | "cluster";
  /** The server, the Sentinels, or some nodes of the cluster. */
  readonly hosts: readonly RedisHost[];
  /** By which the Sentinels know the server. */
  readonly name: string;
  readonly database: number;
  readonly username?: string;
  readonly password?: string;
  readonly isEncrypted: boolean;
  /** The options of the query. */
  readonly query: Readonly<Partial<Record<string, string>>>;
}

const kinds = { redis: "server", rediss: "server", "redis-sentinel": "sentinel", "redis-cluster": "cluster" } as const;
const form = /^(rediss?|redis-sentinel|redis-cluster):\/\/(?:([^/?#]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const knownOptions = ["ca", "db", "family", "sentinel_password", "sentinel_username", "tls"];
const [serverPort, sentinelPort] = [6379, 26379];

/**
 * Reads `redis[s]://[user:password@]host[:port][/database]`, `redis-sentinel://[user:password@]host[:port],…/name`, or
 * `redis-cluster://[user:password@]host[:port],…`, and options in the query, such as `?family=6`.
 * @throws Error if it is none of these
 */
export function redisAddress(url: string): RedisAddress {
  const [, scheme, credentials = "", list = "", path = "", search = ""] = form.exec(url) ?? [];
  const kind = kinds[scheme as keyof typeof kinds];
  const query = Object.fromEntries(new URLSearchParams(search));
  const database = Number(kind === "sentinel" ? (query.db ?? 0) : path);
  const hosts = list.split(",").map((host) => hostOf(host, kind === "sentinel" ? sentinelPort : serverPort));
  const isValid =
    kind === "server"
      ? hosts.length === 1
      : Object.keys(query).every((name) => knownOptions.includes(name)) && (kind === "sentinel") === (path !== "");
  if (!kind || !isValid || !Number.isInteger(database)) throw new Error("This isn't an address of Redis.");
  const [username = "", ...password] = credentials.split(":");
  return {
    kind,
    hosts,
    name: kind === "sentinel" ? decodeURIComponent(path) : "",
    database,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password.length > 0 && { password: decodeURIComponent(password.join(":")) }),
    isEncrypted: scheme === "rediss" || query.tls === "on",
    query,
  };
}

/** @throws TypeError if it isn't `host` or `host:port` */
function hostOf(text: string, defaultPort: number): RedisHost {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || defaultPort) };
}

/** Names the hosts of an address, without anything secret. */
export const redisHosts = ({ hosts }: RedisAddress): string => hosts.map(({ host, port }) => `${host}:${port}`).join();
