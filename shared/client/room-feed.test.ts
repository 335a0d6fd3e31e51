import { expect } from "chai";
import fc from "fast-check";
import { RoomFeed } from "./room-feed.ts";
import type { ClientEvents, Room } from "./social.generated.ts";

type Missed = ClientEvents["room:sync"]["reply"];

/** The number before a room's first event. */
const first = 100;
const roomAt = (seq: number) => ({ seq }) as Room;
const eventAt = (seq: number) => ({ event: "room:new_message", payload: { seq } });

/** A room whose log the server keeps for some events, behind a network that loses, repeats, and delays. */
class LossyRoom {
  readonly seen: number[] = [];
  readonly resets: number[] = [];
  readonly feed: RoomFeed;
  readonly #kept: number;
  #failures: number;
  #seq = first;
  #healings: Promise<unknown>[] = [];

  constructor(kept: number, failures: number) {
    this.#kept = kept;
    this.#failures = failures;
    this.feed = new RoomFeed({
      onEvent: (_event, payload) => this.seen.push((payload as { seq: number }).seq),
      onReset: ({ seq }) => this.resets.push(seq),
      onGap: (since) => this.#answer(since),
      onFailure: () => this.#healings.push(Promise.resolve().then(() => this.feed.catchUp(this.#seq))),
    });
  }

  happen(): number {
    this.#seq += 1;
    return this.#seq;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Resolves when the feed asks for nothing. */
  async rest(): Promise<void> {
    for (let count = -1; count < this.#healings.length; ) {
      count = this.#healings.length;
      await Promise.allSettled(this.#healings);
      await new Promise(setImmediate);
    }
  }

  async #answer(since: number): Promise<Missed> {
    const asked = Promise.resolve().then((): Missed => {
      this.#failures -= 1;
      if (this.#failures >= 0) throw new Error("The connection is lost.");
      if (since < this.#seq - this.#kept) return { room: roomAt(this.#seq) };
      const events = Array.from({ length: this.#seq - since }, (_none, index) => eventAt(since + 1 + index));
      return { events } as Missed;
    });
    this.#healings.push(asked);
    return asked;
  }
}

describe("the feed of a room", () => {
  /** What becomes of each event on its way: lost, on time, twice, or later than the next ones. */
  const fates = fc.array(fc.constantFrom("lost", "on time", "on time", "twice", "late"), { maxLength: 60 });

  it("passes on every event once and in order, or the room as a whole, whatever the network does", async () => {
    const walk = fc.asyncProperty(fates, fc.integer({ min: 1, max: 20 }), fc.nat(2), async (ways, kept, failures) => {
      const room = new LossyRoom(kept, failures);
      const late: number[] = [];
      room.feed.start(roomAt(first));
      for (const way of ways) {
        const seq = room.happen();
        if (way === "late") late.push(seq);
        if (way === "on time" || way === "twice") room.feed.receive("room:new_message", eventAt(seq).payload);
        if (way === "twice") room.feed.receive("room:new_message", eventAt(seq).payload);
        if (late.length > 2) room.feed.receive("room:new_message", eventAt(late.shift()!).payload);
        if (seq % 7 === 0) await room.rest();
      }
      // The connection comes back.
      room.feed.catchUp(room.seq);
      await room.rest();

      const expected = [];
      for (let seq = first + 1; seq <= room.seq; seq += 1) expected.push(seq);
      const skipped = (seq: number) => room.resets.some((reset) => reset >= seq) && !room.seen.includes(seq);
      expect(room.seen).to.deep.equal(expected.filter((seq) => !skipped(seq)));
      expect(Math.max(first, ...room.seen, ...room.resets)).to.equal(room.seq);
    });
    await fc.assert(walk, { numRuns: 300 });
  });

  it("keeps what comes before the room itself is known", () => {
    const room = new LossyRoom(20, 0);
    for (const seq of [first, first + 1, first + 2]) room.feed.receive("room:new_message", eventAt(seq).payload);

    room.feed.start(roomAt(first));

    expect(room.seen).to.deep.equal([first + 1, first + 2]);
  });
});
