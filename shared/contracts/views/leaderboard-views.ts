import {
  count,
  type Infer,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  time,
  variants,
} from "#shared/contracts/fields.ts";
import { roomCard } from "./room-views.ts";
import { userCard } from "./user-views.ts";

/** Views of who leads this week. */

export const leaderboardScopes = ["popular_rooms", "top_hosts", "gift_senders", "gift_receivers", "activity"] as const;
export type LeaderboardScope = (typeof leaderboardScopes)[number];

const place = { rank: integer(1, Number.MAX_SAFE_INTEGER, 1), score: count(1500) };
const week = {
  period: oneOf("weekly"),
  starts_at: time("2025-08-25T00:00:00.000Z").description("Start of the week: Monday, midnight UTC."),
  ends_at: time("2025-09-01T00:00:00.000Z").description("End of the week, exclusive."),
};
const myPlace = nullable(object(place).meta({ name: "LeaderboardPlace" }));

const roomRank = object({ ...place, room: roomCard }).meta({ name: "RoomRank" });
const userRank = object({ ...place, user: userCard }).meta({ name: "UserRank" });
export type RoomRank = Infer<typeof roomRank>;
export type UserRank = Infer<typeof userRank>;

export const leaderboard = variants(
  "scope",
  object({
    scope: oneOf("popular_rooms"),
    ...week,
    items: listOf(roomRank),
    me: myPlace.description("The position of your best room. Null without a score this week."),
  }).meta({ name: "RoomLeaderboard" }),
  object({
    scope: oneOf("top_hosts", "gift_senders", "gift_receivers", "activity"),
    ...week,
    items: listOf(userRank),
    me: myPlace.description("Your position. Null without a score this week."),
  }).meta({ name: "UserLeaderboard" }),
).meta({ name: "Leaderboard" });
export type Leaderboard = Infer<typeof leaderboard>;
