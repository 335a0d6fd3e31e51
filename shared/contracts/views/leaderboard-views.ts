import {
  count,
  type Infer,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  time,
} from "#shared/contracts/fields.ts";
import { roomCard } from "./room-views.ts";
import { userCard } from "./user-views.ts";

/** Views of who leads this week. */

export const leaderboardScopes = ["popular_rooms", "top_hosts", "gift_senders", "gift_receivers", "activity"] as const;
export type LeaderboardScope = (typeof leaderboardScopes)[number];

const place = { rank: integer(1, Number.MAX_SAFE_INTEGER, 1), score: count(1500) };

const leaderboardPlace = object({ ...place, user: optional(userCard), room: optional(roomCard) })
  .xor("user", "room")
  .description("With `room` in popular_rooms, with `user` in all others.");
export type LeaderboardPlace = Infer<typeof leaderboardPlace>;

export const leaderboard = object({
  scope: oneOf(...leaderboardScopes),
  period: oneOf("weekly"),
  starts_at: time("2026-11-16T00:00:00.000Z").description("Monday, midnight UTC."),
  ends_at: time("2026-11-23T00:00:00.000Z").description("The first moment of the next week."),
  items: listOf(leaderboardPlace),
  me: nullable(object(place)).description(
    "The caller's place; in popular_rooms that of his best room. Null without a score this week.",
  ),
}).meta({ name: "Leaderboard" });
export type Leaderboard = Infer<typeof leaderboard>;
