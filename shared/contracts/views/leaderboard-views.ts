import { count, integer, listOf, nullable, oneOf, time, view } from "#shared/contracts/fields.ts";
import { type RoomCard, roomCard } from "./room-views.ts";
import { type UserCard, userCard } from "./user-views.ts";

/** Views of who leads this week. */

export const leaderboardScopes = ["popular_rooms", "top_hosts", "gift_senders", "gift_receivers", "activity"] as const;
export type LeaderboardScope = (typeof leaderboardScopes)[number];

/** A place has a user, or in `popular_rooms` a room. */
export interface LeaderboardPlace {
  rank: number;
  score: number;
  user?: UserCard;
  room?: RoomCard;
}

export interface Leaderboard {
  scope: LeaderboardScope;
  period: "weekly";
  starts_at: string;
  ends_at: string;
  items: LeaderboardPlace[];
  me: { rank: number; score: number } | null;
}

const place = { rank: integer(1, Number.MAX_SAFE_INTEGER, 1), score: count(1500) };

export const leaderboard = view<Leaderboard>({
  scope: oneOf(...leaderboardScopes),
  period: oneOf("weekly"),
  starts_at: time("2026-11-16T00:00:00.000Z").description("Monday, midnight UTC."),
  ends_at: time("2026-11-23T00:00:00.000Z").description("The first moment of the next week."),
  items: listOf(
    view<LeaderboardPlace>({ ...place, user: userCard.optional(), room: roomCard.optional() })
      .xor("user", "room")
      .description("With `room` in popular_rooms, with `user` in all others."),
  ),
  me: nullable(view(place)).description(
    "The caller's place; in popular_rooms that of his best room. Null without a score this week.",
  ),
}).meta({ name: "Leaderboard" });
