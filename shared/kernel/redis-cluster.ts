import { createConnection, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { AbstractConnector, Redis, type RedisOptions } from "ioredis";
import type { RedisHost } from "./redis-address.ts";

/** What the processes share in Redis. In a cluster, all keys of a part are on one node. */
const parts = ["rooms", "bus", "counters"] as const;
export type RedisPart = (typeof parts)[number];

/** What the names of a part's keys begin with in a cluster: its hash tag places them. */
export const partPrefix = (part: RedisPart): string => `{hubbub:${part}}:`;

/** How often one looks whether parts have moved to other nodes, and how long a node has to say it, milliseconds. */
const [lookEveryMs, answerMs] = [5000, 1000];

type Node = readonly [host: string | null, port: number];
type SlotRange = readonly [from: number, to: number, owner: Node, ...replicas: Node[]];
type Owners = ReadonlyMap<string, RedisHost>;

/** Knows which nodes of a cluster own the parts, and closes connections that lead to a node that no longer does. */
class ClusterOwners {
  readonly #options: RedisOptions;
  #hosts: readonly RedisHost[];
  #looking: Promise<Owners> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #streams = new Map<Socket, { readonly prefix: string; readonly owner: RedisHost }>();

  constructor(hosts: readonly RedisHost[], options: RedisOptions) {
    this.#hosts = hosts;
    this.#options = options;
  }

  /** @throws the error of a node if none of them says it */
  async of(prefix: string): Promise<RedisHost> {
    const owner = (await this.#look()).get(prefix);
    if (!owner) throw new Error("No node of the Redis Cluster serves a part of the keys.");
    return owner;
  }

  watch(stream: Socket, prefix: string, owner: RedisHost): void {
    this.#streams.set(stream, { prefix, owner });
    this.#timer ??= setInterval(() => void this.#look().catch(() => {}), lookEveryMs).unref();
    stream.once("close", () => {
      this.#streams.delete(stream);
      if (this.#streams.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #look(): Promise<Owners> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<Owners> {
    const owners = await Promise.any(this.#hosts.map((host) => this.#ask(host))).catch((error: unknown) => {
      throw error instanceof AggregateError ? error.errors[0] : error;
    });
    for (const [stream, { prefix, owner }] of this.#streams) {
      const now = owners.get(prefix);
      if (now && (now.host !== owner.host || now.port !== owner.port)) stream.destroy();
    }
    return owners;
  }

  async #ask(asked: RedisHost): Promise<Owners> {
    const redis = new Redis({
      ...this.#options,
      ...asked,
      lazyConnect: true,
      enableReadyCheck: false,
      disableClientInfo: true,
      retryStrategy: () => null,
      connectTimeout: answerMs,
      commandTimeout: answerMs,
    });
    // It says more than the command that fails with it.
    const failed = new Promise<never>((_resolve, reject) => redis.once("error", reject));
    try {
      const prefixes = parts.map(partPrefix);
      const answers = [redis.cluster("SLOTS"), ...prefixes.map((prefix) => redis.cluster("KEYSLOT", prefix))];
      const [ranges, ...slots] = (await Promise.race([Promise.all(answers), failed])) as [SlotRange[], ...number[]];
      const toHost = ([host, port]: Node) => ({ host: host || asked.host, port });
      const nodes = ranges.flatMap(([, , ...own]) => own.map(toHost));
      this.#hosts = [...new Map([...this.#hosts, ...nodes].map((one) => [`${one.host}:${one.port}`, one])).values()];
      const ownerOf = (slot: number) => ranges.find(([from, to]) => from <= slot && slot <= to)?.[2];
      return new Map(
        prefixes.flatMap((prefix, n) => [ownerOf(slots[n]!)].flatMap((o) => (o ? [[prefix, toHost(o)]] : []))),
      );
    } finally {
      redis.disconnect();
    }
  }
}

/**
 * Returns what connects a client to the node that owns the keys with its `keyPrefix`, wherever that moves. An ordinary
 * client of a cluster publishes and counts subscribers at any node, and each node counts only its own; the directory
 * of actors relies on these counts.
 */
export function ownerConnector(hosts: readonly RedisHost[], options: RedisOptions) {
  const owners = new ClusterOwners(hosts, options);
  return class OwnerConnector extends AbstractConnector {
    readonly #options: RedisOptions;

    constructor(own: unknown) {
      super((own as RedisOptions).disconnectTimeout!);
      this.#options = own as RedisOptions;
    }

    override async connect(emit: (type: string, error: Error) => void): Promise<Socket> {
      const { keyPrefix, family, retryStrategy, tls } = this.#options;
      this.connecting = true;
      const owner = await this.#owner(keyPrefix!, retryStrategy, emit);
      const where = { ...tls, ...owner, ...(family && { family }) };
      const stream = tls ? connectTls(where) : createConnection(where);
      stream.once("error", (error) => {
        this.firstError = error;
      });
      owners.watch(stream, keyPrefix!, owner);
      this.stream = stream;
      return stream;
    }

    /** A client whose connector fails is at its end, so this one tries for as long as the client would. */
    async #owner(
      prefix: string,
      retryStrategy: RedisOptions["retryStrategy"],
      emit: (type: string, error: Error) => void,
    ): Promise<RedisHost> {
      for (let times = 1; this.connecting; times += 1) {
        try {
          const owner = await owners.of(prefix);
          if (this.connecting) return owner;
        } catch (error) {
          const waitMs = retryStrategy?.(times);
          if (typeof waitMs !== "number") throw error;
          emit("error", error as Error);
          await pause(waitMs, undefined, { ref: false });
        }
      }
      throw new Error("Connection is closed.");
    }
  };
}
