import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { MessageType } from "socket.io-adapter";
import { logger } from "#shared/kernel/logger.ts";
import type { Bus } from "./bus.ts";
import { inboxesKey } from "./bus-script.ts";
import { type Messages, presenceChannel, roomChannel } from "./fanout.ts";

/** The stream by which processes of 0.2.0 hand everything to all others, as Socket.IO's streams adapter does. */
const streamName = "hubbub:socket.io";
const maxLen = 10_000;
const readCount = 100;
const [waitMs, silentMs] = [1000, 6000];
/** Processes that host actors, of any release. */
const nodesKey = "hubbub:nodes";
/** How often a process looks for those of 0.2.0, milliseconds: while there are some, and otherwise. */
const [lookAgainMs, lookMs] = [1000, 5000];
const retryMs = 100;
/** Who writes: processes that have the bus ignore it. */
const ownUid = "bus";

/** A message as the adapter writes it, by its type. */
interface Data {
  readonly packet?: unknown;
  readonly opts?: { readonly rooms: readonly string[]; readonly flags?: { readonly volatile?: boolean } };
  readonly rooms?: readonly string[];
}
type Written = readonly [type: MessageType, data: Data];
type Heard = readonly [channels: readonly string[], message: string];

/** What the bus is for who pushes. */
export type Pushing = Pick<Bus, "want" | "unwant" | "send" | "admit">;

/**
 * While processes of 0.2.0 run beside this one, takes part in their stream: writes there what this process pushes, and
 * hears what they do. Remove it in the release after the next.
 */
export class PreviousStream implements Pushing {
  readonly #bus: Bus;
  readonly #client: Redis;
  readonly #reader: Redis;
  readonly #hear: (message: string, channels: readonly string[]) => void;
  #isNeeded = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: Redis, bus: Bus, hear: (message: string, channels: readonly string[]) => void) {
    this.#bus = bus;
    this.#client = redis.duplicate({ maxRetriesPerRequest: null });
    this.#reader = redis.duplicate({ maxRetriesPerRequest: null, socketTimeout: silentMs });
    for (const { options } of [this.#client, this.#reader]) delete options.commandTimeout;
    this.#hear = hear;
  }

  /** Resolves when this process hears those of 0.2.0, if there are any. */
  async start(): Promise<void> {
    await this.#look();
  }

  want = (channel: string): Promise<void> => this.#bus.want(channel);
  unwant = (channel: string): void => this.#bus.unwant(channel);

  send(channels: readonly string[], message: string, mayRest?: boolean): void {
    this.#bus.send(channels, message, mayRest);
    if (this.#isNeeded) for (const written of toWrite(channels, message)) this.#write(written);
  }

  admit(processId: string, channel: string, message: string): void {
    this.#bus.admit(processId, channel, message);
    if (this.#isNeeded) for (const written of toWrite([channel], message)) this.#write(written);
  }

  #write([type, data]: Written): void {
    const fields = ["uid", ownUid, "nsp", "/", "type", `${type}`, "data", JSON.stringify(data)];
    this.#client
      .xadd(streamName, "MAXLEN", "~", maxLen, "*", ...fields)
      .catch((error: unknown) => logger.warn({ err: error }, "processes of the previous release were not told"));
  }

  async #look(): Promise<void> {
    try {
      const [all, ours] = await Promise.all([this.#client.hkeys(nodesKey), this.#client.hkeys(inboxesKey)]);
      const isNeeded = all.some((id) => !ours.includes(id));
      if (isNeeded && !this.#isNeeded) void this.#read(await this.#end());
      this.#isNeeded = isNeeded;
    } catch (error) {
      logger.debug({ err: error }, "processes of the previous release were not looked for");
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#look(), this.#isNeeded ? lookAgainMs : lookMs).unref();
  }

  /** Returns the ID of the last entry. */
  async #end(): Promise<string> {
    return (await this.#client.xrevrange(streamName, "+", "-", "COUNT", 1))[0]?.[0] ?? "0";
  }

  async #read(from: string): Promise<void> {
    this.#isNeeded = true;
    for (let offset = from; this.#isNeeded && !this.#isStopped; ) {
      try {
        const read = await this.#reader.xread("COUNT", readCount, "BLOCK", waitMs, "STREAMS", streamName, offset);
        for (const [id, [, uid, , , , type, , data]] of read?.[0]?.[1] ?? []) {
          offset = id;
          if (uid === ownUid || data === undefined) continue;
          for (const [channels, message] of toHear(Number(type), JSON.parse(data))) this.#hear(message, channels);
        }
      } catch (error) {
        if (this.#isStopped) return;
        logger.debug({ err: error }, "what the previous release pushes could not be read");
        await pause(retryMs);
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#reader.disconnect();
    this.#client.disconnect();
  }
}

/** Returns what a process of 0.2.0 hears instead of a message of the bus. */
function* toWrite(channels: readonly string[], message: string): Generator<Written> {
  const [kind, content] = JSON.parse(message) as [keyof Messages, never];
  const opts = { rooms: channels, except: [], flags: {} };
  if (kind === "push") {
    const { push, options } = content as Messages["push"];
    yield [MessageType.BROADCAST, { packet: packetOf(push.event, push.payload), opts: { ...opts, flags: options } }];
    const userIds = channels.flatMap((channel) => (channel.startsWith("user:") ? [idIn(channel)] : []));
    if (userIds.length > 0) yield [MessageType.SERVER_SIDE_EMIT, { packet: ["to-natives", userIds, push, options] }];
  } else if (kind === "admit") {
    const { id } = content as Messages["admit"];
    yield [MessageType.SOCKETS_JOIN, { opts: { ...opts, rooms: [id] }, rooms: channels }];
  } else if (kind === "leave") {
    const { roomId } = content as Messages["leave"];
    yield [MessageType.SOCKETS_LEAVE, { opts, rooms: [roomChannel(roomId)] }];
  } else {
    const told = kind === "came-or-went" ? channels.map(idIn) : content;
    yield [MessageType.SERVER_SIDE_EMIT, { packet: [kind, told] }];
  }
}

const packetOf = (event: string, payload: object) => ({ type: 2, data: [event, payload], nsp: "/" });
const idIn = (channel: string) => channel.slice(channel.indexOf(":") + 1);

/** Returns the messages of the bus for what a process of 0.2.0 has written. */
function* toHear(type: MessageType, { packet, opts, rooms = [] }: Data): Generator<Heard> {
  const channels = opts?.rooms ?? [];
  if (type === MessageType.BROADCAST) {
    const [event, payload] = (packet as { data: readonly unknown[] }).data;
    const options = opts?.flags?.volatile ? { volatile: true } : {};
    yield [channels, JSON.stringify(["push", { push: { event, payload }, options }])];
  } else if (type === MessageType.SOCKETS_JOIN) yield [rooms, JSON.stringify(["admit", { id: channels[0] }])];
  else if (type === MessageType.SOCKETS_LEAVE)
    yield [channels, JSON.stringify(["leave", { roomId: idIn(rooms[0] ?? "") }])];
  else if (type === MessageType.SERVER_SIDE_EMIT) {
    const [kind, content] = packet as [string, unknown];
    if (kind === "came-or-went") yield [(content as string[]).map(presenceChannel), JSON.stringify([kind, null])];
    // Pushes have reached native clients already.
    else if (kind !== "to-natives") yield [[], JSON.stringify([kind, content])];
  }
}
