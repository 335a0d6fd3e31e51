import { RedisPresence } from "@colyseus/redis-presence";
import type { Redis } from "ioredis";
import { logger } from "#shared/kernel/logger.ts";
import { Availability } from "./availability.ts";

/** How often the connection of the subscriptions is checked, milliseconds. */
const beatMs = 1000;

/**
 * Colyseus' presence in Redis, which survives an outage of Redis: Colyseus doesn't await much of what it sends, and
 * an unhandled rejection would end the process. Requests time out; subscriptions are renewed when Redis is back.
 */
export class SteadyPresence extends RedisPresence {
  readonly #beat: NodeJS.Timeout;
  #closing: Promise<void> | undefined;
  #unheard: ((topic: string, data: unknown) => void) | undefined;

  constructor(redis: Redis) {
    super(redis);
    const hear = this.handleSubscription;
    this.handleSubscription = (topic: string, message: string) => {
      if (this.subscriptions.listenerCount(topic) > 0) steadilyHeard(topic, () => hear(topic, message));
      else parsed(topic, message, (data) => this.#unheard?.(topic, data));
    };
    // Who only listens can't notice that nothing comes any more: an answer that doesn't come ends the connection.
    this.#beat = setInterval(() => {
      (this.sub as Redis).ping().catch(() => {}); // It connects again, or does already.
    }, beatMs).unref();
    // Colyseus renews the subscriptions, too, and handles failures, which ioredis doesn't. What ioredis would send
    // again may come after what waits: a topic would be subscribed to after it was left.
    Object.assign((this.sub as Redis).options, { autoResubscribe: false, autoResendUnfulfilledCommands: false });
  }

  /**
   * Sets what happens with a message to a topic that no longer has listeners: Redis may not have ended the subscription
   * yet.
   */
  onUnheard(hear: (topic: string, data: unknown) => void): void {
    this.#unheard = hear;
  }

  /**
   * Calls `hear` with what is published to topics that match the pattern, also after an outage. Returns a function that
   * waits until it hears: at once, unless the connection is just being made.
   */
  listen(pattern: string, hear: (topic: string, data: unknown) => void): () => Promise<void> {
    const sub = this.sub as Redis;
    const hearing = new Availability();
    const begin = async () => {
      try {
        await sub.psubscribe(pattern);
        hearing.come();
      } catch (error) {
        logger.warn({ err: error, pattern }, "redis did not take a subscription");
        // Unless it was of an earlier connection, and the next one is just being made.
        if (!hearing.isThere && sub.status === "ready") sub.disconnect(true);
      }
    };
    sub.on("pmessage", (matched: string, topic: string, message: string) => {
      if (matched === pattern) parsed(topic, message, (data) => hear(topic, data));
    });
    sub.on("close", () => hearing.go());
    sub.on("ready", () => void begin());
    void begin();
    return () => hearing.wait();
  }

  /** Topics with subscribers. Redis goes through those of all actors for a pattern, but not for one topic. */
  override async channels(pattern = "*"): Promise<string[]> {
    if (pattern.includes("*")) return super.channels(pattern) as Promise<string[]>;
    const [, subscribers] = (await (this.pub as Redis).pubsub("NUMSUB", pattern)) as [string, number];
    return subscribers > 0 ? [pattern] : [];
  }

  override async subscribe(...[topic, callback]: Parameters<RedisPresence["subscribe"]>): Promise<this> {
    await steadily("subscribe", () => super.subscribe(topic, callback));
    return this;
  }

  override async unsubscribe(...[topic, callback]: Parameters<RedisPresence["unsubscribe"]>): Promise<this> {
    await steadily("unsubscribe", () => super.unsubscribe(topic, callback));
    return this;
  }

  override async publish(...[topic, data]: Parameters<RedisPresence["publish"]>): Promise<void> {
    await steadily("publish", () => super.publish(topic, data));
  }

  /** Begins to close the connections. Colyseus calls this, and does not wait for it. */
  override shutdown(): void {
    void this.close();
  }

  /** Closes the connections. What Redis had sent to this process before is answered by then. */
  close(): Promise<void> {
    this.#closing ??= this.#quit();
    return this.#closing;
  }

  async #quit(): Promise<void> {
    clearInterval(this.#beat);
    const [sub, pub] = [this.sub, this.pub] as [Redis, Redis];
    try {
      await sub.quit(); // Its answer comes after all messages.
      await pub.quit();
    } catch {
      // Redis may be away already, or go before it answers.
      for (const redis of [sub, pub]) redis.disconnect();
    }
  }

  override async hset(key: string, field: string, value: string): Promise<boolean> {
    return (await steadily("hset", () => super.hset(key, field, value))) ?? false;
  }
}

/** Passes on what a message contains. What isn't JSON is ignored, as Colyseus does. */
function parsed(topic: string, message: string, hear: (data: unknown) => void): void {
  let data: unknown;
  try {
    data = JSON.parse(message);
  } catch {
    logger.warn({ topic }, "a message from redis is not JSON");
    return;
  }
  steadilyHeard(topic, () => hear(data));
}

/** Others may publish in the same Redis: a message of another form doesn't end the process. */
function steadilyHeard(topic: string, hear: () => void): void {
  try {
    hear();
  } catch (error) {
    logger.error({ err: error, topic }, "a message from redis could not be heard");
  }
}

async function steadily<T>(command: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    logger.warn({ err: error, command }, "redis did not take a command");
    return undefined;
  }
}
