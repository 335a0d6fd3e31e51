/**
 * The live state of a room that must outlive its actor: written with the actor's epoch at each change, and read when a
 * new actor starts. Plain data, replaced and never mutated. (`speaking` is included, but a change of it alone isn't
 * worth a write.)
 */
export interface LiveSeat {
  readonly userId: string | null;
  readonly locked: boolean;
  readonly muted: boolean;
  readonly mutedByHost: boolean;
  readonly speaking: boolean;
  /** When the occupant sat down. Gifts that they have received since then count for the seat. */
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
  /** The user who sent the invitation. */
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
  /** Only pending requests. */
  readonly requests: readonly LiveRequest[];
  readonly invites: readonly LiveInvite[];
  readonly chatMutes: readonly LiveChatMute[];
}

/** Returns the parts that have changed. */
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
