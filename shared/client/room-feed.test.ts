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

  /** The answer is as old as the question: more can happen on its way. */
  async #answer(since: number): Promise<Missed> {
    this.#failures -= 1;
    const isLost = this.#failures >= 0;
    const events = Array.from({ length: this.#seq - since }, (_none, index) => eventAt(since + 1 + index));
    const missed = since < this.#seq - this.#kept ? { room: roomAt(this.#seq) } : ({ events } as Missed);
    const asked = new Promise(setImmediate).then(() => {
      if (isLost) throw new Error("The connection is lost.");
      return missed;
    });
    this.#healings.push(asked);
    return asked;
  }
}

describe("the feed of a room", () => {
  /** What becomes of each event on its way: lost, on time, twice, or later than the next ones. */
  const fates = fc.array(fc.constantFrom("lost", "on time", "on time", "twice", "late"), { maxLength: 60 });

  it("passes on every event once and in order, or the room as a whole, whatever the network does", async () => {
    const pausing = fc.uniqueArray(fc.integer({ min: first, max: first + 60 }));
    const walk = fc.asyncProperty(
      fates,
      fc.integer({ min: 1, max: 20 }),
      fc.nat(2),
      pausing,
      async (ways, kept, failures, at) => {
        const room = new LossyRoom(kept, failures);
        const pauses = new Set(at);
        const late: number[] = [];
        room.feed.start(roomAt(first));
        for (const way of ways) {
          const seq = room.happen();
          if (way === "late") late.push(seq);
          if (way === "on time" || way === "twice") room.feed.receive("room:new_message", eventAt(seq).payload);
          if (way === "twice") room.feed.receive("room:new_message", eventAt(seq).payload);
          if (late.length > 2) room.feed.receive("room:new_message", eventAt(late.shift()!).payload);
          if (pauses.has(seq)) await new Promise(setImmediate);
        }
        // The next event shows what is missing.
        room.feed.receive("room:new_message", eventAt(room.happen()).payload);
        await room.rest();

        const expected = [];
        for (let seq = first + 1; seq <= room.seq; seq += 1) expected.push(seq);
        const skipped = (seq: number) => room.resets.some((reset) => reset >= seq) && !room.seen.includes(seq);
        expect(room.seen).to.deep.equal(expected.filter((seq) => !skipped(seq)));
        expect(Math.max(first, ...room.seen, ...room.resets)).to.equal(room.seq);
      },
    );
    await fc.assert(walk, { numRuns: 300 });
  });

  it("keeps what comes before the room itself is known", () => {
    const room = new LossyRoom(20, 0);
    for (const seq of [first, first + 1, first + 2]) room.feed.receive("room:new_message", eventAt(seq).payload);

    room.feed.start(roomAt(first));

    expect(room.seen).to.deep.equal([first + 1, first + 2]);
  });

  /** A feed whose questions get this answer, once something else has happened. */
  const feedWith = (answer: Missed, meanwhile: (feed: RoomFeed) => void = () => {}) => {
    const seen: (number | string)[] = [];
    const feed: RoomFeed = new RoomFeed({
      onEvent: (_event, payload) => seen.push((payload as { seq: number }).seq),
      onReset: ({ seq }) => seen.push(`room at ${seq}`),
      onGap: async () => {
        seen.push("gap");
        meanwhile(feed);
        return answer;
      },
      onFailure: () => seen.push("failure"),
    });
    feed.start(roomAt(first));
    return { feed, seen };
  };
  const receive = (feed: RoomFeed, seq: number) => feed.receive("room:new_message", eventAt(seq).payload);

  it("drops an answer that is older than what has come meanwhile", async () => {
    const { feed, seen } = feedWith({ room: roomAt(first + 1) }, () => receive(feed, first + 1));
    receive(feed, first + 2);
    await new Promise(setImmediate);

    expect(seen).to.deep.equal([`room at ${first}`, "gap", first + 1, first + 2]);
  });

  it("doesn't ask again at once if the server knows of nothing missed", async () => {
    const { feed, seen } = feedWith({ events: [] });
    receive(feed, first + 5);
    await new Promise(setImmediate);

    expect(seen).to.deep.equal([`room at ${first}`, "gap", "failure"]);
  });
});
