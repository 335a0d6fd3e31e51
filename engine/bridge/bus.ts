import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { forPart } from "#shared/kernel/redis-options.ts";
import { atMost } from "#shared/kernel/within.ts";
import { BusQueue } from "./bus-queue.ts";
import { batchKey, busKey, busScript, everyone, inboxesKey, inboxKey, inboxMs, lifeKey } from "./bus-script.ts";

/** The most entries that are read at once. */
const readCount = 100;
/** How long a wait for entries takes, and after which silence the connection is given up, milliseconds. */
const [waitMs, silentMs] = [1000, 6000];
/** How often a process renews its inbox and forgets what it has read, milliseconds. */
const renewEveryMs = 1000;
/** How often claims are renewed, long before they expire, milliseconds. */
const reclaimEveryMs = 6 * 3_600_000;
/** After Redis has lost its data, pushes wait until all processes have claimed their channels again, milliseconds. */
const regatherMs = 2500;
const retryMs = 100;
const stopMs = 1000;

/** What a process does with what the others push. */
export interface BusListener {
  /** `channels` are those that this process wants. */
  hear(message: string, channels: readonly string[]): void;
  /** `work` hears messages that came at once. */
  together(work: () => void): void;
  /** This process may have missed messages. */
  missed(): void;
}

/** A claim of this process on a channel. */
interface Claim {
  readonly token: string;
  /** Resolves when messages to the channel come. */
  readonly done: Promise<void>;
}

/** A stream's entry: its ID and its fields with their values. */
type StreamEntry = readonly [id: string, fields: readonly string[]];

interface BusRedis extends Redis {
  runBatch(key: string, ...args: readonly string[]): Promise<number>;
}

/**
 * Hands messages to other processes by channel, such as a room or a user: one entry for each process that has claimed
 * the channel, in an inbox of its own, so that a process pays for nothing that others have. Messages of a process reach
 * another in the order in which they were sent, once, also if connections to Redis are lost meanwhile.
 */
export class Bus {
  readonly #processId: string;
  readonly #client: BusRedis;
  readonly #reader: Redis;
  readonly #listener: BusListener;
  readonly #wanted = new Map<string, number>();
  readonly #claims = new Map<string, Claim>();
  readonly #queue: BusQueue;

  #inbox = "";
  #inboxes = 0;
  /** The last entry that was read. */
  #offset = "";
  /** The number of the last batch of this inbox that Redis has performed. */
  #performed = "";
  #life: string | undefined;
  #renewedMs = 0;
  #reclaimedMs = performance.now();
  #opening: Promise<void> | undefined;
  /** Another process has given up messages that may have been for this one. */
  #isBehind = false;
  #isStopped = false;

  constructor(redis: Redis, processId: string, listener: BusListener) {
    this.#processId = processId;
    this.#listener = listener;
    // They wait while Redis is away, so what is sent meanwhile arrives late rather than never.
    const options = { ...forPart(redis.options, "bus"), maxRetriesPerRequest: null };
    this.#client = redis.duplicate(options) as BusRedis;
    this.#client.defineCommand("runBatch", { numberOfKeys: 1, lua: busScript });
    this.#reader = redis.duplicate({ ...options, socketTimeout: silentMs });
    for (const { options } of [this.#client, this.#reader]) delete options.commandTimeout;
    this.#queue = new BusQueue((number, args) => this.#run(number, args));
  }

  /** Resolves when this process can be reached. */
  async start(): Promise<void> {
    await this.#open();
    await this.#forgetDead();
    void this.#read();
  }

  /** Removes processes that were killed from the list: their inboxes have expired. */
  async #forgetDead(): Promise<void> {
    for (const [processId, inbox] of Object.entries(await this.#client.hgetall(inboxesKey)))
      if (!(await this.#client.exists(inboxKey(inbox)))) await this.#client.hdel(inboxesKey, processId);
  }

  /** Has messages to a channel come to this process, until `unwant` is called as often. Resolves when they do. */
  want(channel: string): Promise<void> {
    this.#wanted.set(channel, (this.#wanted.get(channel) ?? 0) + 1);
    return (this.#claims.get(channel) ?? this.#claim(channel)).done;
  }

  unwant(channel: string): void {
    const count = this.#wanted.get(channel)! - 1;
    if (count > 0) this.#wanted.set(channel, count);
    else {
      this.#wanted.delete(channel);
      this.#release(channel);
    }
  }

  /** Returns whether a batch was performed; it wasn't if this process has a new inbox since, or needed one. */
  async #run(number: string, args: readonly string[]): Promise<boolean> {
    const inbox = this.#inbox;
    const result = await this.#client.runBatch(busKey, inbox, number, this.#performed, ...args);
    const isDone = result === 1;
    if (inbox !== this.#inbox) return isDone;
    if (isDone) this.#performed = number;
    else await this.#reopen(result === -1);
    return isDone;
  }

  #claim(channel: string, token = newId()): Claim {
    const claim = { token, done: this.#queue.addOwn(["claim", channel, token]) };
    this.#claims.set(channel, claim);
    return claim;
  }

  #release(channel: string): void {
    const claim = this.#claims.get(channel);
    if (!claim) return;
    this.#claims.delete(channel);
    void this.#queue.addOwn(["release", channel, claim.token]);
  }

  /**
   * Sends a message to the other processes that want one of these channels. `mayRest`: up to 50 ms later, with others.
   */
  send(channels: readonly string[], message: string, mayRest = false): void {
    this.#queue.add(["push", `${channels.length}`, message, ...channels], mayRest);
  }

  /**
   * Sends a message to another process, which gets all later messages to the channel, too. It must want the channel
   * when it has heard the message; otherwise, it no longer gets them.
   */
  admit(processId: string, channel: string, message: string): void {
    this.#queue.add(["admit", processId, channel, newId(), message]);
  }

  /**
   * Makes an inbox: at the start, and when the last one is gone or has dropped entries. Claims in the name of the last
   * one end with it.
   */
  #open(): Promise<void> {
    this.#opening ??= this.#openOne();
    return this.#opening;
  }

  /**
   * Makes an inbox after Redis has lost the last one, or some of what came there. `isSetBack`: it has lost what this
   * process has sent, so others have missed that.
   */
  #reopen(isSetBack: boolean): Promise<void> {
    if (isSetBack) this.#queue.tellMissed();
    return this.#open();
  }

  async #openOne(): Promise<void> {
    try {
      await this.#openInbox();
    } finally {
      this.#opening = undefined;
    }
  }

  async #openInbox(): Promise<void> {
    const previous = this.#inbox;
    const inbox = `${this.#processId}:${++this.#inboxes}`;
    const answers = await this.#client
      .multi()
      .setnx(lifeKey, newId())
      .get(lifeKey)
      .xadd(inboxKey(inbox), "*", "message", "", "to", "")
      .pexpire(inboxKey(inbox), inboxMs)
      .hset(inboxesKey, this.#processId, inbox)
      .del(inboxKey(previous))
      .exec();
    const [, [, life], [, offset]] = answers as [unknown, [unknown, string], [unknown, string]];
    [this.#inbox, this.#offset, this.#performed] = [inbox, offset, ""];
    this.#claims.clear();
    this.#queue.dropOwn();
    const claims = [...this.#wanted.keys()].map((channel) => this.#claim(channel).done);

    if (this.#life !== undefined && this.#life !== life) {
      logger.warn("redis has lost its data: pushes to other processes wait until all can be reached again");
      this.#queue.hold(regatherMs);
    } else if (previous) {
      metrics.pushesMissed.inc();
      logger.warn("this process has missed what others pushed: its connections are closed, so that clients catch up");
      // Those that come back are reached.
      void Promise.all(claims).then(() => this.#listener.missed());
    }
    this.#life = life;
  }

  async #read(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const inbox = this.#inbox;
        const entries = await this.#next(inbox);
        // It takes more entries than are read at once until some are dropped.
        if (entries.length >= readCount) this.#isBehind ||= await this.#hasGap(inbox);
        if (inbox === this.#inbox && !this.#isBehind)
          this.#listener.together(() => {
            for (const entry of entries) this.#receive(entry);
          });
        if (this.#isBehind) await this.#open();
        this.#isBehind = false;
        if (performance.now() - this.#renewedMs >= renewEveryMs) await this.#renew();
      } catch (error) {
        if (this.#isStopped) return;
        logger.debug({ err: error }, "what other processes push could not be read");
        await pause(retryMs);
      }
    }
  }

  async #next(inbox: string): Promise<readonly StreamEntry[]> {
    const key = inboxKey(inbox);
    const read = await this.#reader.xread("COUNT", readCount, "BLOCK", waitMs, "STREAMS", key, this.#offset);
    return read?.[0]?.[1] ?? [];
  }

  /** Whether entries were dropped that this process had not read, because it hung or was too slow. */
  async #hasGap(inbox: string): Promise<boolean> {
    return (await this.#client.xrange(inboxKey(inbox), this.#offset, this.#offset)).length === 0;
  }

  #receive([id, fields]: StreamEntry): void {
    this.#offset = id;
    metrics.busEntries.inc();
    const [, message, , to, , token] = fields as readonly [string, string, string, string, string?, string?];
    if (token) this.#claims.set(to, { token, done: Promise.resolve() });
    try {
      if (to === everyone) this.#isBehind = true;
      else this.#listener.hear(message, to.split(" "));
    } catch (error) {
      logger.error({ err: error }, "what another process pushed could not be delivered");
    }
    if (token && !this.#wanted.has(to)) this.#release(to);
  }

  async #renew(): Promise<void> {
    const [inbox, offset, performed] = [this.#inbox, this.#offset, this.#performed];
    this.#renewedMs = performance.now();
    const answers = await this.#client
      .multi()
      .pexpire(inboxKey(inbox), inboxMs)
      .hset(inboxesKey, this.#processId, inbox)
      .xtrim(inboxKey(inbox), "MINID", offset)
      .xrange(inboxKey(inbox), offset, offset)
      .pexpire(batchKey(inbox), inboxMs)
      .get(batchKey(inbox))
      .exec();
    const [isThere, , , read, , done] = (answers ?? []).map(([, answer]) => answer);
    const isSetBack = isThere === 1 && Number(done ?? 0) < Number(performed);
    const hasRead = (read as readonly unknown[]).length === 1;
    if (inbox === this.#inbox && (isSetBack || !hasRead)) await this.#reopen(isSetBack);
    if (this.#renewedMs - this.#reclaimedMs < reclaimEveryMs) return;
    this.#reclaimedMs = this.#renewedMs;
    for (const [channel, { token }] of this.#claims) this.#claim(channel, token);
  }

  /** Sends what waits, if Redis is there, and ends. */
  async stop(): Promise<void> {
    await atMost(stopMs, this.#queue.drained());
    this.#isStopped = true;
    this.#reader.disconnect();
    const gone = this.#client.multi().del(inboxKey(this.#inbox)).hdel(inboxesKey, this.#processId).exec();
    await atMost(
      stopMs,
      gone.catch(() => {}),
    );
    this.#queue.stop();
    this.#client.disconnect();
  }
}
