import { leaderboard } from "#shared/contracts/views.ts";
import { getLeaderboard, type LeaderboardQuery } from "#shared/domain/leaderboards/leaderboards.queries.ts";
import type { ApiDeps } from "../../deps.ts";
import { type Route, route } from "../../http/route.ts";
import { leaderboardQuery } from "./leaderboards.schemas.ts";

export const leaderboardsRoutes = ({ actors }: ApiDeps): Route[] => [
  route<object, LeaderboardQuery>({
    method: "get",
    path: "/leaderboards",
    tag: "Leaderboards",
    summary: "Who leads this week",
    description:
      "A week begins on Monday at midnight UTC. `gift_senders` and `gift_receivers` count the coins of gifts given and got, `top_hosts` those that others gave in one's rooms, `popular_rooms` the minutes that people other than the host have spent in a room, `activity` points: 5 for a gift given, a post or a game played to its end, 2 for a comment on somebody's post, 1 for a message (5 a minute at the most). Of equals, whoever had the score first is ahead.",
    auth: "user",
    query: leaderboardQuery,
    response: leaderboard,
    handler: ({ caller, query }) => getLeaderboard(caller.userId, query, () => actors.liveCounts()),
  }),
];
