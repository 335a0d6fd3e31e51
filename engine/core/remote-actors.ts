import type { Redis } from "ioredis";
import { within } from "#shared/kernel/within.ts";
import type { ActorResult } from "./any-actor-room.ts";
import { Availability } from "./availability.ts";
import { answerTopic, type RemoteAnswer, roomTopic } from "./colyseus-internals.ts";
import type { Command } from "./command.ts";
import { retiredError } from "./failures.ts";
import type { SteadyPresence } from "./steady-presence.ts";

type Answer = RemoteAnswer<ActorResult>;
type Request = readonly [method: string, requestId: string, args: readonly unknown[]];

/** As long as any command to Redis may take, milliseconds. */
const redisMs = 2000;

const undone: Answer = [0, { ok: false, ...retiredError().toFailure(), undone: true }];

/**
 * Hands commands to actors in other processes, by Colyseus' own protocol. Colyseus subscribes to each answer, and
 * unsubscribes from it; here, one subscription hears all answers to this process, and the number of those who hear a
 * command tells at once whether there is an actor.
 */
export class RemoteActors {
  readonly #presence: SteadyPresence;
  readonly #processId: string;
  /** A command that may have been heard isn't sent again, nor is one kept that its caller has given up. */
  readonly #publisher: Redis;
  readonly #connection = new Availability();
  readonly #answering = new Map<string, (answer: Answer) => void>();
  #listening: (() => Promise<void>) | undefined;
  #sent = 0;

  constructor(redis: Redis, presence: SteadyPresence, processId: string) {
    this.#presence = presence;
    this.#processId = processId;
    this.#publisher = redis.duplicate({ autoResendUnfulfilledCommands: false, enableOfflineQueue: false });
    this.#publisher.on("ready", () => this.#connection.come());
    this.#publisher.on("close", () => this.#connection.go());
    // An actor that has just ended may still be subscribed to.
    presence.onUnheard((topic, data) => {
      if (!topic.startsWith(roomTopic(""))) return;
      const [method, requestId] = data as Request;
      if (method === "perform") void presence.publish(answerTopic(requestId), undone);
    });
  }

  /**
   * Returns what the actor answers; undefined if there is none in another process, or if it was ending.
   * @throws Error when the answer doesn't come within this time; the command may have been performed
   */
  async perform(actorId: string, command: Command, limitMs: number): Promise<ActorResult | undefined> {
    this.#sent += 1;
    const requestId = `${this.#processId}:${this.#sent}`;
    try {
      return await within(limitMs, this.#ask(actorId, command, requestId), "the actor did not answer in time");
    } finally {
      this.#answering.delete(answerTopic(requestId));
    }
  }

  async #ask(actorId: string, command: Command, requestId: string): Promise<ActorResult | undefined> {
    this.#listening ??= this.#presence.listen(answerTopic(`${this.#processId}:*`), (topic, answer) =>
      this.#answering.get(topic)?.(answer as Answer),
    );
    await within(redisMs, Promise.all([this.#listening(), this.#connection.wait()]), "redis is away");
    const answered = Promise.withResolvers<ActorResult | undefined>();
    // While an actor moves, its predecessor may hear the command, too, and answers that it did nothing.
    let idle = 0;
    let hearers = Number.POSITIVE_INFINITY;
    const settle = () => idle >= hearers && answered.resolve(undefined);
    this.#answering.set(answerTopic(requestId), ([code, result]) => {
      if (code === 1) return answered.reject(new Error(result));
      if (!result.undone) return answered.resolve(result);
      idle += 1;
      settle();
    });
    const request: Request = ["perform", requestId, [command]];
    // The answer may come before Redis confirms the command, or although it doesn't.
    this.#publisher.publish(roomTopic(actorId), JSON.stringify(request)).then((count) => {
      hearers = count;
      settle();
    }, answered.reject);
    return answered.promise;
  }

  stop(): void {
    this.#publisher.disconnect();
  }
}
