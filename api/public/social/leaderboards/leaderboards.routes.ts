import { leaderboard } from "#shared/contracts/views.ts";
import { getLeaderboard } from "#shared/domain/social/leaderboards/leaderboards.queries.ts";
import type { ApiDeps } from "../../../deps.ts";
import { type Route, route } from "../../../http/route.ts";
import { leaderboardQuery } from "./leaderboards.schemas.ts";

export const leaderboardsRoutes = ({ actors }: ApiDeps): Route[] => [
  route({
    id: "getLeaderboard",
    method: "get",
    path: "/leaderboards",
    tag: "Leaderboards",
    summary: "Get a leaderboard",
    description: `Returns the leaders of the current week, which began on Monday at midnight UTC, and your own rank.

The score depends on \`scope\`:

- \`gift_senders\`: the coins spent on gifts.
- \`gift_receivers\`: the coins that others spent on gifts for the user.
- \`top_hosts\`: the coins that others spent on gifts in the user's rooms.
- \`popular_rooms\`: the minutes that people other than the host have spent in the room.
- \`activity\`: 5 points for a gift sent, a post, or a finished game; 2 for a comment on another user's post; 1 for a message, up to 5 a minute.

Equal scores rank in the order in which they were reached. Minors whom the settings hide from search take no part.`,
    auth: "user",
    query: leaderboardQuery,
    response: leaderboard,
    handler: async ({ caller, query }) => {
      await actors.settleCounts();
      return getLeaderboard(caller.userId, query);
    },
  }),
];
