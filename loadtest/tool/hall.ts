import { setTimeout as pause } from "node:timers/promises";
import type { LiveRoom } from "#shared/client/client.ts";
import { mapConcurrently } from "../game-tables.ts";
import { RawClient } from "../raw-client.ts";
import type { Crew, Member } from "./crew.ts";
import {
  type Acknowledged,
  type Heard,
  lateViolations,
  lostViolations,
  messageNumber,
  orderViolations,
} from "./hearing.ts";
import type { Arrival, Found } from "./scenario.ts";
import { now } from "./times.ts";

const joinedAtOnce = 20;
/**
 * Of more people in a worker than this, the others only listen: with raw connections, because the client costs too
 * much.
 */
const typedMax = 100;
const lateMs = 15_000;

interface Listener {
  readonly room: string;
  /** From events. */
  readonly numbers: number[];
  /** What their client has shown. */
  readonly shown: Set<number>;
}

/** Those who talk and listen in the rooms of one worker. */
export class Hall {
  /** Those who talk, and their rooms. */
  readonly talkers: { readonly member: Member; readonly room: LiveRoom }[] = [];
  readonly #crew: Crew;
  readonly #heard = new Map<string, Listener>();
  readonly #acknowledged: Acknowledged[] = [];
  readonly #raw: RawClient[] = [];
  /** Distinguishes the messages of this run from others in the room. */
  readonly #mark: string;
  #count = 0;

  private constructor(crew: Crew) {
    this.#crew = crew;
    this.#mark = `load-${crew.options.seed}`;
  }

  /** Lets all members join the room of their number. */
  static async open(crew: Crew, roomIds: readonly string[]): Promise<Hall> {
    const hall = new Hall(crew);
    const isRaw = (index: number) => crew.options.door === "socket" && index >= typedMax;
    await mapConcurrently([...crew.members.entries()], joinedAtOnce, async ([index, member]) => {
      const roomId = roomIds[member.number % roomIds.length]!;
      if (isRaw(index)) await hall.#listenRaw(member, roomId);
      else await hall.#join(member, roomId);
    });
    return hall;
  }

  /** Says something in the room of the next talker who isn't away. */
  async say({ number, dueMs }: Arrival, away: ReadonlySet<number> = new Set()): Promise<void> {
    const { workers, worker } = this.#crew.options;
    let index = Math.floor(number / workers) % this.talkers.length;
    for (let tried = 0; away.has(index) && tried < this.talkers.length; tried += 1)
      index = (index + 1) % this.talkers.length;
    const { room } = this.talkers[index]!;
    const own = messageNumber(worker, this.#count++);
    const sentMs = now();
    const { error } = await this.#crew.measure("say", dueMs, () => room.say(`${this.#mark} ${own} ${dueMs}`));
    if (!error) this.#acknowledged.push({ number: own, room: room.id, sentMs, acknowledgedMs: now() });
  }

  notes(): readonly Acknowledged[] {
    return this.#acknowledged;
  }

  /** Waits until everything that was acknowledged is heard. Returns what one listener of each room has heard. */
  async finish(notes: readonly (readonly Acknowledged[])[]): Promise<Heard[]> {
    const acknowledged = notes.flat();
    const givenUpMs = now() + lateMs;
    let lost = lostViolations(this.#lists(), acknowledged);
    while (lost.length > 0 && now() < givenUpMs) {
      await pause(100);
      lost = lostViolations(this.#lists(), acknowledged);
    }
    const heard = this.#lists(false);
    const models = [...Map.groupBy(heard, ({ room }) => room).values()].map((all) =>
      all.reduce((best, one) => (one.numbers.length > best.numbers.length ? one : best)),
    );
    for (const violation of [
      ...lost,
      ...orderViolations(heard),
      ...models.flatMap((model) => lateViolations(model, this.#acknowledged)),
    ])
      this.#crew.violation(violation);
    return models;
  }

  close(): void {
    for (const client of this.#raw) client.cut();
    this.#crew.disconnect();
  }

  /** What each has heard. `withRead`: also what their client has read again. */
  #lists(withRead = true): Heard[] {
    return [...this.#heard].map(([listener, { room, numbers, shown }]) => ({
      listener,
      room,
      numbers: withRead ? [...new Set([...numbers, ...shown])] : numbers,
    }));
  }

  async #join(member: Member, roomId: string): Promise<void> {
    const { data: room, error } = await this.#crew.measure("join", now(), () => member.client.rooms.join(roomId));
    if (!room) throw new Error(`${member.name} can't join: ${error.code}`);
    const numbers: number[] = [];
    room.on("message", ({ message }) => this.#hear(numbers, message.body));
    room.on("end", ({ reason }) => {
      // On purpose, by `close`, or when another call has moved them.
      if (reason !== "logged_out") this.#crew.violation(`${member.name} was put out of ${roomId}: ${reason}`);
    });
    const shown = new Set<number>();
    const looked = new WeakSet<object>();
    room.on("change", () => {
      // A client that missed too much reads its messages again: then the first is another one.
      const [first] = room.messages;
      const from = first && looked.has(first) ? room.messages.findLastIndex((one) => looked.has(one)) + 1 : 0;
      for (const message of room.messages.slice(from)) {
        looked.add(message);
        shown.add(this.#parse(message.body)?.number ?? -1);
      }
    });
    this.#heard.set(member.name, { room: roomId, numbers, shown });
    this.talkers.push({ member, room });
  }

  async #listenRaw({ name, accessToken }: Member, room_id: string): Promise<void> {
    const startedMs = now();
    const client = await RawClient.connect(this.#crew.options.url, { token: accessToken });
    const numbers: number[] = [];
    client.onEvent((event, frame) => {
      if (event === "room:new_message") this.#hear(numbers, /"body":"([^"]*)"/.exec(frame.toString("latin1"))?.[1]);
    });
    const answer = await client.emit("room:join", { room_id });
    if (!answer.startsWith('{"success":true')) throw new Error(`${name} can't join: ${answer}`);
    this.#crew.tally.succeeded("join", startedMs, now() - startedMs);
    this.#heard.set(name, { room: room_id, numbers, shown: new Set() });
    this.#raw.push(client);
  }

  #hear(numbers: number[], body: string | undefined): void {
    const found = body === undefined ? undefined : this.#parse(body);
    if (!found) return;
    numbers.push(found.number);
    this.#crew.tally.succeeded("hear", found.dueMs, now() - found.dueMs);
  }

  #parse(body: string): { number: number; dueMs: number } | undefined {
    const [mark, number, dueMs] = body.split(" ");
    return mark === this.#mark ? { number: Number(number), dueMs: Number(dueMs) } : undefined;
  }
}

/** Compares the orders that the workers have heard. */
export const checkHall = ({ evidence }: Pick<Found, "evidence">): string[] =>
  orderViolations((evidence as readonly (readonly Heard[])[]).flat());
