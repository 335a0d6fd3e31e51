import { expect } from "chai";
import fc from "fast-check";
import { EventLog } from "./event-log.ts";

const event = "room:updated";

/** What `since` must answer, from everything that ever happened. */
interface Happened {
  /** Of the event, or for one for a few of the event before it. */
  seq: number;
  users?: readonly string[];
  payload: { n: number };
}

function fill(log: EventLog, steps: readonly (readonly string[] | null)[]): Happened[] {
  return steps.map((users, n) => {
    const payload = { n };
    if (users) log.addFor(users, { event, payload } as never);
    else log.add({ event, payload } as never);
    return { seq: log.seq, payload, ...(users && { users }) };
  });
}

/** Adds an event of the whole room. Returns its number. */
const add = (log: EventLog): number => {
  log.add({ event, payload: {} } as never);
  return log.seq;
};

const numbers = (events: readonly { payload: object }[] | undefined) =>
  events?.map(({ payload }) => (payload as { n: number }).n);

describe("the event log", () => {
  it("numbers without gaps, above everything that an earlier actor sent", () => {
    const [first, second] = [new EventLog(7), new EventLog(8)];
    const seqs = Array.from({ length: 3 }, () => add(first));
    expect(seqs).to.deep.equal([7 * 2 ** 32 + 1, 7 * 2 ** 32 + 2, 7 * 2 ** 32 + 3]);
    for (let n = 0; n < 10_000; n += 1) add(first);
    expect(add(second)).to.be.greaterThan(first.seq);
    expect(add(new EventLog(2 ** 20))).to.satisfy(Number.isSafeInteger);
  });

  it("returns what was missed, or undefined when it is no longer known", () => {
    const log = new EventLog(1);
    const start = log.seq;
    expect(log.since(start, "ada")).to.deep.equal([]);
    fill(log, [null, ["ada"], null]);
    expect(numbers(log.since(start, "ada"))).to.deep.equal([0, 1, 2]);
    expect(numbers(log.since(start, "bob"))).to.deep.equal([0, 2]);
    expect(numbers(log.since(start + 1, "ada"))).to.deep.equal([1, 2]);
    expect(numbers(log.since(start + 2, "ada"))).to.deep.equal([]);
    // A number of an earlier actor, and one that was never given.
    expect(log.since(start - 1, "ada")).to.equal(undefined);
    expect(log.since(start + 3, "ada")).to.equal(undefined);
  });

  it("returns nothing from before a user joined", () => {
    const log = new EventLog(1);
    fill(log, [null, ["ada"]]);
    const joined = log.mark;
    fill(log, [["ada"], null]);
    expect(numbers(log.since(joined.seq, "ada", joined))).to.deep.equal([0, 1]);
    expect(log.since(joined.seq - 1, "ada", joined)).to.equal(undefined);
  });

  it("keeps the last 500", () => {
    const log = new EventLog(1);
    const start = log.seq;
    fill(
      log,
      Array.from({ length: 5000 }, () => null),
    );
    expect(log.since(log.seq - 500, "ada")).to.have.length(500);
    expect(log.since(start, "ada")).to.equal(undefined);
    expect(log.since(log.seq - 601, "ada")).to.equal(undefined);
  });

  it("never leaves anything out, wherever events for a few fall", () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.constantFrom(["ada"], ["bob"], ["ada", "bob"]) },
    );
    const run = fc.array(fc.tuple(step, fc.integer({ min: 1, max: 120 })), { maxLength: 30 });
    const check = fc.property(run, fc.array(fc.nat(2000), { minLength: 5, maxLength: 20 }), (runs, backs) => {
      const log = new EventLog(3);
      const floor = log.seq;
      const happened = fill(
        log,
        runs.flatMap(([what, times]) => Array.from({ length: times }, () => what)),
      );
      for (const back of backs) {
        const seen = Math.max(floor, log.seq - back);
        const told = numbers(log.since(seen, "ada"));
        const missed = happened.filter(({ seq, users }) => (users ? seq >= seen && users.includes("ada") : seq > seen));
        if (told) expect(told).to.deep.equal(numbers(missed));
        else expect(happened.filter(({ seq }) => seq >= seen).length).to.be.greaterThan(499);
      }
    });
    fc.assert(check, { numRuns: 100 });
  });
});
