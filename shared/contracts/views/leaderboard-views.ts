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
  .description("Entries have `room` in `popular_rooms`, and `user` in all other leaderboards.");
export type LeaderboardPlace = Infer<typeof leaderboardPlace>;

export const leaderboard = object({
  scope: oneOf(...leaderboardScopes),
  period: oneOf("weekly"),
  starts_at: time("2026-11-16T00:00:00.000Z").description("Start of the week: Monday, midnight UTC."),
  ends_at: time("2026-11-23T00:00:00.000Z").description("End of the week, exclusive."),
  items: listOf(leaderboardPlace),
  me: nullable(object(place)).description(
    "Your position; in `popular_rooms`, the position of your best room. Null without a score this week.",
  ),
}).meta({ name: "Leaderboard" });
export type Leaderboard = Infer<typeof leaderboard>;
