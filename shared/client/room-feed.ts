import type { ClientEvents, Room } from "./social.generated.ts";

interface Numbered {
  readonly event: string;
  readonly payload: { readonly seq: number };
}

type Missed = ClientEvents["room:sync"]["reply"];

export interface FeedEvents {
  /** The next event, by its number; or one without. */
  readonly onEvent: (event: string, payload: unknown) => void;
  /** The room as a whole, because too much was missed. */
  readonly onReset: (room: Room) => void;
  /** Asks the server for what was missed. */
  readonly onGap: (sinceSeq: number) => Promise<Missed>;
  /** What was missed can't be learned now. */
  readonly onFailure: (error: unknown) => void;
}

/** Events that wait for earlier ones. With more, the room is read as a whole. */
const waitingMax = 2000;

/**
 * Puts the events of a room in the order of their numbers: each once, and none before what was missed is known. Events
 * without a number, for some members only, pass at once; after a gap they can come twice.
 */
export class RoomFeed {
  readonly #events: FeedEvents;
  #seq: number | undefined;
  #waiting = new Map<number, Numbered>();
  #healing = false;

  constructor(events: FeedEvents) {
    this.#events = events;
  }

  /** Events that came before are dropped or follow it. */
  start(room: Room): void {
    if (this.#seq !== undefined && room.seq < this.#seq) return;
    this.#seq = room.seq;
    this.#events.onReset(room);
    this.#drain();
    this.#check();
  }

  /** Learns what has happened up to this number, if it is new. */
  catchUp(seq: number): void {
    if (this.#seq !== undefined && seq > this.#seq) void this.#heal();
  }

  receive(event: string, payload: unknown): void {
    const { seq } = payload as { readonly seq?: number };
    if (seq === undefined) this.#events.onEvent(event, payload);
    if (seq === undefined) return;
    if (this.#waiting.size >= waitingMax) this.#waiting.clear();
    this.#waiting.set(seq, { event, payload: { ...(payload as object), seq } });
    this.#drain();
    this.#check();
  }

  /** Passes on what follows the last number. */
  #drain(): void {
    if (this.#seq === undefined) return;
    for (;;) {
      const next = this.#waiting.get(this.#seq + 1);
      if (!next) break;
      this.#waiting.delete(this.#seq + 1);
      this.#seq += 1;
      this.#events.onEvent(next.event, next.payload);
    }
    for (const seq of this.#waiting.keys()) if (seq <= this.#seq) this.#waiting.delete(seq);
  }

  #check(): void {
    if (this.#seq !== undefined && this.#waiting.size > 0) void this.#heal();
  }

  async #heal(): Promise<void> {
    if (this.#healing || this.#seq === undefined) return;
    this.#healing = true;
    const before = this.#seq;
    try {
      const missed = await this.#events.onGap(before);
      if ("room" in missed) this.start(missed.room);
      else for (const { event, payload } of missed.events) this.#repeat(event, payload);
      // Asking again at once would go on forever.
      if (this.#seq === before) throw new Error("The server knows of no missed event.");
    } catch (error) {
      return this.#events.onFailure(error);
    } finally {
      this.#healing = false;
    }
    // There was another gap meanwhile.
    this.#check();
  }

  /** Missed events come in order; a gap among them would be the server's. */
  #repeat(event: string, payload: unknown): void {
    const { seq } = payload as { readonly seq?: number };
    if (seq === undefined) this.#events.onEvent(event, payload);
    if (seq === undefined || this.#seq === undefined || seq <= this.#seq) return;
    this.#seq = seq;
    this.#events.onEvent(event, payload);
    this.#drain();
  }
}
