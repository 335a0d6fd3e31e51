import { expect } from "chai";
import { type Acknowledged, type Heard, lateViolations, lostViolations, orderViolations } from "./hearing.ts";
import { assertOwnHost } from "./own-host.ts";
import { operationsOf } from "./result.ts";
import { dueSeconds } from "./schedule.ts";
import { Sum, Tally } from "./tally.ts";
import { judgeAll, parseThreshold } from "./thresholds.ts";

describe("the figures of a load test", () => {
  describe("what was heard", () => {
    const heard = (listener: string, ...numbers: number[]): Heard => ({ listener, room: "hall", numbers });
    const acknowledged = (number: number, sentMs = 0, acknowledgedMs = 9): Acknowledged => ({
      number,
      room: "hall",
      sentMs,
      acknowledgedMs,
    });
    const sent = [1, 2, 3].map((number) => acknowledged(number));
    const good = heard("Ada", 1, 2, 3);
    const faults: [string, Heard, RegExp | undefined][] = [
      ["everything in order", heard("Grace", 1, 2, 3), undefined],
      ["a message without an acknowledgement as well", heard("Grace", 1, 7, 2, 3), undefined],
      ["one message less", heard("Grace", 1, 3), /Grace didn't hear message 0\.2 .*\(1 lost\)/],
      ["nothing", heard("Grace"), /didn't hear message 0\.1 .*\(3 lost\)/],
      ["one message twice", heard("Grace", 1, 2, 2, 3), /Grace heard message 0\.2 of hall twice/],
      ["another order", heard("Grace", 2, 1, 3), /heard message 0\.1 of hall after message 0\.2, Ada before it/],
    ];
    for (const [what, listener, fault] of faults)
      it(`${fault ? "finds" : "accepts"} a listener who has heard ${what}`, () => {
        const found = [...orderViolations([good, listener]), ...lostViolations([good, listener], sent)];
        if (fault) expect(found).to.have.lengthOf(1).and.to.match(fault);
        else expect(found).to.deep.equal([]);
      });

    it("finds a message that comes after one which was sent only when it was acknowledged", () => {
      const times = [acknowledged(1, 0, 10), acknowledged(2, 11, 20)];
      expect(lateViolations(heard("Ada", 1, 2), times)).to.deep.equal([]);
      expect(lateViolations(heard("Ada", 2, 1), times)[0]).to.match(/message 0\.1 .* was acknowledged before/);
    });
  });

  describe("the schedule", () => {
    it("has the rate, after a ramp in which it rises", () => {
      const due = [...dueSeconds({ rate: 100, ramp: 2, seconds: 3 })];
      expect(due.filter((at) => at < 2).length).to.be.within(99, 102);
      expect(due.filter((at) => at < 1).length).to.be.within(24, 27);
      for (const from of [2, 3, 4])
        expect(due.filter((at) => at >= from && at < from + 1).length).to.be.within(99, 101);
    });

    it("follows the hours of a day", () => {
      const due = [...dueSeconds({ rate: 100, ramp: 0, seconds: 2, day: [0.5, 1] })];
      expect(due.filter((at) => at < 1).length).to.be.within(49, 52);
      expect(due.filter((at) => at >= 1).length).to.be.within(99, 101);
    });
  });

  describe("thresholds", () => {
    const tally = new Tally();
    for (let ms = 1; ms <= 100; ms += 1) tally.succeeded("say", 0, ms);
    for (let ms = 1; ms <= 10; ms += 1) tally.succeeded("join", 0, ms * 10);
    tally.failed("join", 0, "ROOM_FULL");
    const sum = new Sum();
    sum.add(tally.total.take());
    const result = { operations: operationsOf(sum, 10), arrivals: { due: 200, done: 190, perSecond: 19, lateMs: 0 } };
    const cases: Record<string, boolean> = {
      "say.p50<60ms": true,
      "say.p50<40ms": false,
      "p99<=0.101s": true,
      "say.p99.9<200ms": true,
      "say.max>=99ms": true,
      "mean<50ms": false,
      "errors<10%": true,
      "errors<5%": false,
      "say.errors<=0": true,
      "join.errors<1": false,
      "rate>=95%": true,
      "rate>95%": false,
      "say.rate>9/s": true,
      "shout.p99<1s": false,
    };
    for (const [text, kept] of Object.entries(cases))
      it(`${kept ? "keeps" : "misses"} ${text}`, () => {
        expect(judgeAll([parseThreshold(text)], result)[0]).to.include({ text, kept });
      });

    it("must be understood", () => {
      for (const text of ["p99", "p99<fast", "p98<5ms", "errors<5ms", "p99<5%", "rate>5ms", "<5ms"])
        expect(() => parseThreshold(text), text).to.throw(/isn't a threshold/);
    });
  });

  it("adds up the workers", () => {
    const [one, other, sum] = [new Tally(), new Tally(), new Sum()];
    one.succeeded("say", 0, 10);
    other.succeeded("say", 0, 30);
    other.failed("say", 0, "TIMEOUT");
    for (const tally of [one, other]) sum.add(tally.total.take());
    const { say } = operationsOf(sum, 1);
    expect(say).to.include({ count: 2, errors: 1 });
    expect(say?.codes).to.deep.equal({ TIMEOUT: 1 });
    expect(say?.ms.max).to.be.closeTo(30, 0.1);
    expect(say?.ms.mean).to.be.closeTo(20, 0.1);
  });

  it("are about this machine only", async () => {
    for (const own of ["http://127.0.0.1:3000", "http://localhost", "http://[::1]:8080"]) await assertOwnHost(own);
    for (const other of ["http://192.0.2.7", "http://no-such-host.invalid"]) {
      const refusal = await assertOwnHost(other).catch((error: Error) => error.message);
      expect(refusal).to.match(/isn't this machine.*--yes-load-this-host/);
    }
  });
});
