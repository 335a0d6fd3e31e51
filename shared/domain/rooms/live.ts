/**
 * What of a room is live and must outlive its actor: written with the actor's epoch at each change, read when an actor is
 * made anew. Plain data, replaced and never changed in place. (`speaking` is carried along but does not matter enough to
 * be written for its own sake.)
 */
export interface LiveSeat {
  readonly userId: string | null;
  readonly locked: boolean;
  readonly muted: boolean;
  readonly mutedByHost: boolean;
  readonly speaking: boolean;
  /** When this sitting began: gifts received since then count for the seat. */
  readonly since: string | null;
}

export interface LiveRequest {
  readonly id: string;
  readonly userId: string;
  readonly seatNo: number | null;
  readonly createdAt: string;
  readonly expiresAtMs: number;
}

export interface LiveInvite {
  readonly userId: string;
  /** Who has invited him. */
  readonly by: string;
  readonly seatNo: number | null;
  readonly expiresAtMs: number;
}

export interface LiveChatMute {
  readonly userId: string;
  readonly untilMs: number;
}

export interface Live {
  readonly seats: readonly LiveSeat[];
  /** Pending ones only. */
  readonly requests: readonly LiveRequest[];
  readonly invites: readonly LiveInvite[];
  readonly chatMutes: readonly LiveChatMute[];
}

/** The parts that are not what they were. */
export const changedParts = (before: Live, after: Live): (keyof Live)[] =>
  (Object.keys(after) as (keyof Live)[]).filter((part) => before[part] !== after[part]);

export const freeSeat: LiveSeat = {
  userId: null,
  locked: false,
  muted: false,
  mutedByHost: false,
  speaking: false,
  since: null,
};

export const emptyLive = (seatCount: number): Live => ({
  seats: Array.from({ length: seatCount }, () => freeSeat),
  requests: [],
  invites: [],
  chatMutes: [],
});
