import { Redis } from "ioredis";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { startReplica, startSentinel, type TestSentinel } from "#shared/testing/redis-sentinel.ts";
import { until } from "#shared/testing/until.ts";

/** A replica of a Redis server, and the Sentinel that has it take its server's place. */
interface Successor {
  server: TestRedis;
  readonly sentinel: TestSentinel;
}

const failsOverWithinMs = 30_000;

/** The Redis server, which loses everything when it is restarted. It may have a replica, and a Sentinel. */
export class Store {
  #server: TestRedis;
  readonly #successor: Successor | undefined;

  private constructor(server: TestRedis, successor?: Successor) {
    this.#server = server;
    this.#successor = successor;
  }

  static async start(isReplicated: boolean): Promise<Store> {
    const server = await startRedis();
    if (!isReplicated) return new Store(server);
    const [replica, sentinel] = await Promise.all([startReplica(server), startSentinel(server)]);
    return new Store(server, { server: replica, sentinel });
  }

  /** How processes find it, who have a network between them and the server itself if there is no Sentinel. */
  get url(): string {
    return this.#successor?.sentinel.url ?? this.#server.url;
  }

  get hasSuccessor(): boolean {
    return this.#successor !== undefined;
  }

  /** Notes which server Sentinel has chosen, also when a busy machine kept it from an answer in time. */
  async #follow(): Promise<void> {
    const successor = this.#successor;
    if (!successor || (await successor.sentinel.primaryPort()) !== successor.server.port) return;
    [this.#server, successor.server] = [successor.server, this.#server];
  }

  /** Asks the server that the processes have. */
  async asking<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    await this.#follow();
    const redis = new Redis(this.port);
    redis.on("error", () => {}); // The command rejects, too.
    return work(redis).finally(() => redis.disconnect());
  }

  /** Has it be silent for a while, or killed, until its replica has taken its place and it has become the replica. */
  async failOver(isKilled: boolean): Promise<void> {
    const successor = this.#successor!;
    await this.#follow();
    const [lost, next] = [this.#server, successor.server];
    if (isKilled) await lost.stop();
    else lost.freeze();
    const isChosen = async () => (await successor.sentinel.primaryPort()) === next.port;
    await until("Sentinel has chosen the replica", isChosen, failsOverWithinMs);
    if (!isKilled) lost.thaw();
    this.#server = next;
    successor.server = isKilled ? await startReplica(next, lost.port) : lost;
    await until("it has a replica", async () => (await successor.sentinel.replicas()) === 1, failsOverWithinMs);
  }

  get port(): number {
    return this.#server.port;
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#successor?.server.stop();
    await this.#successor?.sentinel.stop();
  }

  kill(): Promise<void> {
    return this.#server.stop();
  }

  async restart(): Promise<void> {
    this.#server = await startRedis(this.port);
  }

  /** Makes it lose everything, and keep its connections. */
  async empty(): Promise<void> {
    await this.asking((redis) => redis.flushall());
  }

  freeze(): void {
    this.#server.freeze();
  }

  thaw(): void {
    this.#server.thaw();
  }
}
