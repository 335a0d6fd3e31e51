import { expect } from "chai";
import fc from "fast-check";
import { freeSeat, type LiveSeat } from "#shared/domain/live/rooms/live.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import * as rules from "./seats.rules.ts";

const since = "2026-01-01T00:00:00.000Z";
const seatsOf = (count: number): rules.Seats => Array.from({ length: count }, () => freeSeat);
const guest = (id: string) => ({ id, isHost: false });
const host = { id: "host", isHost: true };

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return "nothing";
};

describe("seat rules", () => {
  it("put the host on seat 1 and others on the lowest free seat", () => {
    let seats = rules.sit(seatsOf(4), host, null, since);
    seats = rules.sit(seats, guest("a"), null, since);
    seats = rules.sit(seats, guest("b"), null, since);
    expect(seats.map(({ userId }) => userId)).to.deep.equal(["host", "a", "b", null]);
  });

  it("keep seat 1 for the host", () => {
    expect(codeOf(() => rules.sit(seatsOf(4), guest("a"), 1, since))).to.equal("SEAT_TAKEN");
    expect(rules.sit(seatsOf(2), guest("a"), null, since)[1]?.userId).to.equal("a");
  });

  it("refuse a taken, locked, missing or second seat", () => {
    const seats = rules.lockSeat(rules.sit(seatsOf(4), guest("a"), 2, since), 3, true);
    expect(codeOf(() => rules.sit(seats, guest("b"), 2, since))).to.equal("SEAT_TAKEN");
    expect(codeOf(() => rules.sit(seats, guest("b"), 3, since))).to.equal("SEAT_LOCKED");
    expect(codeOf(() => rules.sit(seats, guest("b"), 5, since))).to.equal("NOT_FOUND");
    expect(codeOf(() => rules.sit(seats, guest("a"), 4, since))).to.equal("ALREADY_SEATED");
    const full = rules.sit(seats, guest("b"), 4, since);
    expect(codeOf(() => rules.sit(full, guest("c"), null, since))).to.equal("NO_FREE_SEAT");
  });

  it("free a seat that is locked, and take a voice without taking the seat", () => {
    const seated = rules.setAudio(rules.sit(seatsOf(3), guest("a"), 2, since), "a", { muted: false, speaking: true });
    const muted = rules.muteByHost(seated, 2, true);
    expect(muted[1]).to.include({ userId: "a", mutedByHost: true, speaking: false });
    expect(rules.mayPublish(muted, "a")).to.equal(false);
    expect(rules.rightsChanged(seated, muted)).to.deep.equal(["a"]);
    expect(rules.setAudio(muted, "a", { muted: false, speaking: true })[1]?.speaking).to.equal(false);
    const locked = rules.lockSeat(seated, 2, true);
    expect(locked[1]).to.deep.equal({ ...freeSeat, locked: true });
    expect(codeOf(() => rules.lockSeat(seated, 1, true))).to.equal("FORBIDDEN");
  });

  it("drop people from seats that go when the room shrinks", () => {
    const seats = rules.sit(seatsOf(4), guest("a"), 4, since);
    expect(rules.resize(seats, 2)).to.have.length(2);
    expect(rules.rightsChanged(seats, rules.resize(seats, 2))).to.deep.equal(["a"]);
    expect(rules.resize(seats, 6)).to.have.length(6);
  });

  it("hold in any order of actions: a user sits once at most, and never on a locked seat", () => {
    const user = fc.constantFrom("host", "a", "b", "c");
    const seatNo = fc.integer({ min: 1, max: 5 });
    const step = fc.oneof(
      fc.tuple(fc.constant("sit"), user, fc.option(seatNo, { nil: null })),
      fc.tuple(fc.constant("stand"), user),
      fc.tuple(fc.constant("lock"), seatNo, fc.boolean()),
      fc.tuple(fc.constant("mute"), seatNo, fc.boolean()),
      fc.tuple(fc.constant("audio"), user, fc.boolean()),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let seats: readonly LiveSeat[] = seatsOf(4);
        for (const [kind, first, second] of steps as [string, never, never][]) {
          const before = seats;
          const code = codeOf(() => {
            if (kind === "sit") seats = rules.sit(seats, { id: first, isHost: first === "host" }, second, since);
            if (kind === "stand") seats = rules.stand(seats, first);
            if (kind === "lock") seats = rules.lockSeat(seats, first, second);
            if (kind === "mute") seats = rules.muteByHost(seats, first, second);
            if (kind === "audio") seats = rules.setAudio(seats, first, { muted: second, speaking: !second });
          });
          if (code !== "nothing") expect(seats).to.equal(before);
          const seated = seats.flatMap(({ userId }) => userId ?? []);
          expect(new Set(seated).size).to.equal(seated.length);
          for (const seat of seats) {
            if (seat.locked) expect(seat.userId).to.equal(null);
            if (seat.speaking) expect(seat.userId !== null && !seat.muted && !seat.mutedByHost).to.equal(true);
          }
          if (seats[0]?.userId) expect(seats[0].userId).to.equal("host");
        }
      }),
      { numRuns: 300 },
    );
  });
});
