import type { Member, Room, RoomMessage, Seat } from "#shared/contracts/views.ts";
import type { Payload } from "#shared/testing/clients/clients.ts";
import type { Outcome } from "./journal.ts";

/** What a view asks the service for. */
export interface RoomSource {
  sync(sinceSeq: number): Promise<Outcome>;
  /** Returns the messages after `afterId`, in any order; undefined if the service doesn't answer. */
  messagesAfter(afterId: string): Promise<readonly RoomMessage[] | undefined>;
}

/** All numbered events of all rooms, which every client must receive alike. */
export class SeenEvents {
  readonly #seen = new Map<string, string>();

  /** Returns whether the event is the one that others received under this number. */
  isSame(event: string, payload: Payload): boolean {
    const key = `${payload.room_id} ${payload.seq}`;
    const text = `${event} ${payload.message?.id ?? payload.user_id ?? payload.member?.user.id ?? ""}`;
    const first = this.#seen.get(key) ?? text;
    this.#seen.set(key, first);
    return first === text;
  }

  forget(): void {
    this.#seen.clear();
  }
}

export type Healed = "whole" | "not a member" | "no answer";

/**
 * A room as a client shows it, kept by the numbers of its events alone: it applies the next event, ignores those that
 * it has, and asks for what it missed when it sees a gap.
 */
export class RoomView {
  seq = 0;
  seats: readonly Seat[] = [];
  readonly members = new Map<string, Member>();
  /** The messages that are newer than `verifiedId`. */
  readonly messages = new Map<string, string>();
  /** How often it asked for what it missed. */
  heals = 0;
  readonly #source: RoomSource;
  readonly #onFault: (fault: string) => void;
  readonly #seen: SeenEvents;
  /** By which event each message came. */
  readonly #pushedAs = new Map<string, number>();
  #verifiedId = "";
  get verifiedId(): string {
    return this.#verifiedId;
  }
  /** Whether it applies events. If not, it must be healed. */
  get isWhole(): boolean {
    return !this.#isSuspended;
  }
  #waiting: { event: string; payload: Payload }[] = [];
  #healing: Promise<Healed> | undefined;
  #isSuspended = true;

  constructor(source: RoomSource, seen: SeenEvents, onFault: (fault: string) => void) {
    this.#source = source;
    this.#seen = seen;
    this.#onFault = onFault;
  }

  /** Forgets the messages up to this one, which have been compared with the stored ones. */
  verified(messageId: string): void {
    this.#verifiedId = messageId;
    for (const id of [...this.messages.keys()]) if (id <= messageId) this.messages.delete(id);
    this.#pushedAs.clear();
  }

  /** Keeps further events until it is healed, because a connection was lost. */
  suspend(): void {
    this.#isSuspended = true;
    this.#waiting = [];
  }

  receive(event: string, payload: Payload): void {
    if (payload?.seq === undefined) return;
    if (!this.#seen.isSame(event, payload)) this.#onFault(`Two events of the room are number ${payload.seq}.`);
    if (this.#isSuspended || this.#healing) this.#waiting.push({ event, payload });
    else if (payload.seq === this.seq + 1) this.#apply(event, payload);
    else if (payload.seq > this.seq) {
      this.#waiting.push({ event, payload });
      void this.heal();
    }
  }

  /** Asks for what it missed. */
  heal(): Promise<Healed> {
    this.#healing ??= this.#heal().finally(() => {
      this.#healing = undefined;
    });
    return this.#healing;
  }

  async #heal(): Promise<Healed> {
    for (;;) {
      this.heals += 1;
      const outcome = await this.#source.sync(this.seq);
      if (outcome.kind !== "done") {
        this.#isSuspended = true;
        return outcome.code === "NOT_A_MEMBER" ? "not a member" : "no answer";
      }
      const { events, room } = outcome.data as { events?: { event: string; payload: Payload }[]; room?: Room };
      if (room && !(await this.#replace(room))) return "no answer";
      for (const { event, payload } of events ?? []) this.#applyMissed(event, payload);
      this.#isSuspended = false;
      if (this.#applyWaiting()) return "whole";
    }
  }

  /** Returns whether it is whole now: the service may not have answered. */
  async #replace(room: Room): Promise<boolean> {
    const messages = await this.#source.messagesAfter(this.#verifiedId);
    if (!messages) {
      this.#isSuspended = true;
      return false;
    }
    this.seq = room.seq;
    this.seats = room.seats;
    this.members.clear();
    for (const member of room.members) this.members.set(member.user.id, member);
    for (const { id, body } of messages) this.messages.set(id, body);
    return true;
  }

  #applyMissed(event: string, payload: Payload): void {
    if (payload.seq === undefined || payload.seq <= this.seq) return;
    if (payload.seq !== this.seq + 1)
      this.#onFault(`What was missed since ${this.seq} begins with ${payload.seq} (${event}).`);
    this.#apply(event, payload);
  }

  /** Applies what came meanwhile. Returns false if there is another gap. */
  #applyWaiting(): boolean {
    const waiting = this.#waiting.sort((a, b) => a.payload.seq - b.payload.seq);
    this.#waiting = [];
    for (const [index, { event, payload }] of waiting.entries()) {
      if (payload.seq <= this.seq) continue;
      if (payload.seq !== this.seq + 1) {
        this.#waiting = waiting.slice(index);
        return false;
      }
      this.#apply(event, payload);
    }
    return true;
  }

  #apply(event: string, payload: Payload): void {
    this.seq = payload.seq;
    if (event === "room:participant_joined" || event === "room:member_updated")
      this.members.set(payload.member.user.id, payload.member);
    if (event === "room:participant_left") this.members.delete(payload.user_id);
    if (event === "room:seats_updated") this.seats = payload.seats;
    if (event === "room:new_message") this.#add(payload.message, payload.seq);
  }

  #add({ id, body }: RoomMessage, seq: number): void {
    const before = this.#pushedAs.get(id);
    if (before !== undefined && before !== seq) this.#onFault(`Message ${id} was pushed as ${before} and as ${seq}.`);
    this.#pushedAs.set(id, seq);
    if (id > this.#verifiedId) this.messages.set(id, body);
  }
}
