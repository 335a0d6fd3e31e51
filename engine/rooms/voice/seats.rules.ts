import { isDeepStrictEqual } from "node:util";
import { freeSeat, type LiveSeat } from "#shared/domain/live/rooms/live.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * The rules of mic seats. Pure: seats in, seats out, or an error. Seats are numbered from 1; seat 1 is kept for the
 * host.
 */
export type Seats = readonly LiveSeat[];

export const hostSeatNo = 1;

/** Where a user sits, or null. */
export function seatNoOf(seats: Seats, userId: string): number | null {
  const index = seats.findIndex((seat) => seat.userId === userId);
  return index < 0 ? null : index + 1;
}

/** Returns whether this user may send audio: the only rule for voice permissions. */
export function mayPublish(seats: Seats, userId: string): boolean {
  return seats.some((seat) => seat.userId === userId && !seat.mutedByHost);
}

/** @throws NOT_FOUND when the room has no such seat. */
function seatAt(seats: Seats, seatNo: number): LiveSeat {
  const seat = seats[seatNo - 1];
  if (!seat)
    throw new DomainError("NOT_FOUND", "This room has seats 1 to {{last}}.", { values: { last: seats.length } });
  return seat;
}

const replace = (seats: Seats, seatNo: number, seat: LiveSeat): Seats => seats.with(seatNo - 1, seat);

/** @throws NOT_SEATED */
export function requireSeat(seats: Seats, userId: string): number {
  const seatNo = seatNoOf(seats, userId);
  if (seatNo === null) throw new DomainError("NOT_SEATED");
  return seatNo;
}

/**
 * Returns the number of the seat that the user gets: the requested one, seat 1 for the host, or else the lowest free
 * one.
 * @throws ALREADY_SEATED, NOT_FOUND, SEAT_LOCKED, SEAT_TAKEN, NO_FREE_SEAT
 */
export function chooseSeat(seats: Seats, user: { id: string; isHost: boolean }, seatNo?: number | null): number {
  if (seatNoOf(seats, user.id) !== null) throw new DomainError("ALREADY_SEATED");
  const wanted = seatNo ?? (user.isHost ? hostSeatNo : null);
  if (wanted !== null) {
    const seat = seatAt(seats, wanted);
    if (seat.userId) throw new DomainError("SEAT_TAKEN");
    if (seat.locked) throw new DomainError("SEAT_LOCKED");
    if (wanted === hostSeatNo && !user.isHost) throw new DomainError("SEAT_TAKEN", "Seat 1 is reserved for the host.");
    return wanted;
  }
  const index = seats.findIndex((seat, at) => !seat.userId && !seat.locked && at + 1 !== hostSeatNo);
  if (index < 0) throw new DomainError("NO_FREE_SEAT");
  return index + 1;
}

/**
 * Gives a user the seat that `chooseSeat` returns. `since`: the current time, ISO 8601.
 * @throws the errors of `chooseSeat`
 */
export function sit(
  seats: Seats,
  user: { id: string; isHost: boolean },
  seatNo: number | null | undefined,
  since: string,
): Seats {
  const chosen = chooseSeat(seats, user, seatNo);
  return replace(seats, chosen, { ...freeSeat, userId: user.id, since });
}

/** Frees the user's seat, if they have one. */
export function stand(seats: Seats, userId: string): Seats {
  const seatNo = seatNoOf(seats, userId);
  return seatNo === null ? seats : replace(seats, seatNo, { ...freeSeat, locked: seatAt(seats, seatNo).locked });
}

/** Locks or unlocks a seat; locking a taken seat frees it. @throws NOT_FOUND, FORBIDDEN for the host's seat */
export function lockSeat(seats: Seats, seatNo: number, locked: boolean): Seats {
  const seat = seatAt(seats, seatNo);
  if (seatNo === hostSeatNo) throw new DomainError("FORBIDDEN", "Seat 1 is reserved for the host and can't be locked.");
  if (seat.locked === locked) return seats;
  return replace(seats, seatNo, locked ? { ...freeSeat, locked } : { ...seat, locked });
}

/** Returns the occupant of a seat. @throws NOT_FOUND, NOT_SEATED when the seat is free */
export function occupantOf(seats: Seats, seatNo: number): string {
  const { userId } = seatAt(seats, seatNo);
  if (!userId) throw new DomainError("NOT_SEATED", "This seat is free.");
  return userId;
}

/** Mutes or unmutes the occupant of a seat. @throws NOT_FOUND, NOT_SEATED */
export function muteByHost(seats: Seats, seatNo: number, muted: boolean): Seats {
  occupantOf(seats, seatNo);
  const seat = seatAt(seats, seatNo);
  if (seat.mutedByHost === muted) return seats;
  return replace(seats, seatNo, { ...seat, mutedByHost: muted, speaking: seat.speaking && !muted });
}

/** Sets a seated user's own microphone. A muted user doesn't speak. @throws NOT_SEATED */
export function setAudio(seats: Seats, userId: string, audio: { muted: boolean; speaking?: boolean }): Seats {
  const seatNo = requireSeat(seats, userId);
  const seat = seatAt(seats, seatNo);
  const speaking = (audio.speaking ?? seat.speaking) && !audio.muted && !seat.mutedByHost;
  if (seat.muted === audio.muted && seat.speaking === speaking) return seats;
  return replace(seats, seatNo, { ...seat, muted: audio.muted, speaking });
}

/** Marks a user without a connection as not speaking. */
export function silence(seats: Seats, userId: string): Seats {
  const index = seats.findIndex((seat) => seat.userId === userId && seat.speaking);
  return index < 0 ? seats : seats.with(index, { ...seats[index]!, speaking: false });
}

/** Adjusts the seats to the room's seat count. New seats are free; occupants of removed seats lose theirs. */
export function resize(seats: Seats, seatCount: number): Seats {
  if (seats.length === seatCount) return seats;
  return Array.from({ length: seatCount }, (_, index) => seats[index] ?? freeSeat);
}

/** Whether two sets of seats differ in more than who is speaking. */
export function differDurably(before: Seats, after: Seats): boolean {
  if (before.length !== after.length) return true;
  return before.some(
    (seat, index) => seat !== after[index] && !isDeepStrictEqual(lasting(seat), lasting(after[index]!)),
  );
}

const lasting = ({ speaking, ...rest }: LiveSeat) => rest;

/** Returns the users whose permission to send audio has changed. */
export function rightsChanged(before: Seats, after: Seats): string[] {
  if (before === after) return [];
  const users = new Set([...before, ...after].flatMap(({ userId }) => userId ?? []));
  return [...users].filter((userId) => mayPublish(before, userId) !== mayPublish(after, userId));
}
