import { input, oneOf, pageQuery } from "#shared/contracts/fields.ts";
import { leaderboardScopes } from "#shared/contracts/views.ts";
import type { LeaderboardQuery } from "#shared/domain/leaderboards/leaderboards.queries.ts";

export const leaderboardQuery = input<LeaderboardQuery & { period: "weekly" }>({
  scope: oneOf(...leaderboardScopes).required(),
  period: oneOf("weekly").default("weekly"),
  limit: pageQuery.limit.description("Extension: how many places."),
});
