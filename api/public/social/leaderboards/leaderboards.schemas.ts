import { object, oneOf, pageQuery, withDefault } from "#shared/contracts/fields.ts";
import { leaderboardScopes } from "#shared/contracts/views.ts";

export const leaderboardQuery = object({
  scope: oneOf(...leaderboardScopes),
  period: withDefault(oneOf("weekly"), "weekly"),
  limit: withDefault(pageQuery.limit.description("Extension: the number of ranks."), 20),
});
