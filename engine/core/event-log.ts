import type { RoomPush, ServerEvent, ServerPush } from "#shared/contracts/events.ts";

/** An event as `room:sync` returns it. */
export interface MissedEvent {
  readonly event: ServerEvent;
  readonly payload: object;
}

/** A moment in a log, such as when a user joined. */
export interface LogMark {
  readonly seq: number;
  /** How many events there had been, including those without a number. */
  readonly count: number;
}

interface Entry {
  readonly push: ServerPush;
  readonly nth: number;
  /** The `seq` of a client that has seen this event. */
  readonly seq: number;
  /** The users who get it; if absent, everyone in the room. */
  readonly users?: readonly string[];
}

const kept = 500;
/** Numbers reserved for one actor: far more than it can send. 2^21 actors fit before numbers lose precision. */
const seqPerEpoch = 2 ** 32;

/**
 * The numbered events of one room, the last 500 kept for those who were away. Numbers start at epoch × 2^32: above
 * every number that an earlier actor can have sent, so a client sees a gap.
 */
export class EventLog {
  #seq: number;
  #entries: Entry[] = [];
  #count = 0;
  /** A client that has seen less than this has missed an event that is no longer kept. */
  #from: number;

  constructor(epoch: number) {
    this.#seq = epoch * seqPerEpoch;
    this.#from = this.#seq;
  }

  get seq(): number {
    return this.#seq;
  }

  get mark(): LogMark {
    return { seq: this.#seq, count: this.#count };
  }

  /** Numbers an event for the whole room and keeps it. Returns it with its `seq`. */
  add({ event, payload }: RoomPush): ServerPush {
    this.#seq += 1;
    // An event for the whole room is the same event, with its number.
    const push = { event, payload: { ...payload, seq: this.#seq } } as ServerPush;
    this.#keep({ push });
    return push;
  }

  /** Keeps an event for some users. It has no sequence number, because others would see a gap. */
  addFor(users: readonly string[], push: ServerPush): void {
    this.#keep({ users, push });
  }

  #keep(entry: Omit<Entry, "seq" | "nth">): void {
    this.#count += 1;
    this.#entries.push({ ...entry, seq: this.#seq, nth: this.#count });
    if (this.#entries.length <= kept * 1.2) return;
    const forgotten = this.#entries.splice(0, this.#entries.length - kept).at(-1)!;
    // An event for a few shares the number of the one before it: a client that has seen that one may lack this one.
    this.#from = forgotten.users ? forgotten.seq + 1 : forgotten.seq;
  }

  /**
   * Returns what a user has missed since `sinceSeq`; undefined when that is no longer known. Events for a few may
   * be repeated: they carry IDs. Events from before the user `joined` aren't returned.
   */
  since(sinceSeq: number, userId: string, joined: LogMark = { seq: 0, count: 0 }): MissedEvent[] | undefined {
    if (sinceSeq > this.#seq || sinceSeq < Math.max(this.#from, joined.seq)) return undefined;
    return this.#entries
      .filter(({ nth }) => nth > joined.count)
      .filter(({ seq, users }) => (users ? seq >= sinceSeq && users.includes(userId) : seq > sinceSeq))
      .map(({ push: { event, payload } }) => ({ event, payload }));
  }
}
