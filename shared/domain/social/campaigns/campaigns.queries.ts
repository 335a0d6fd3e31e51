import type { Campaign } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { clock } from "#shared/kernel/clock.ts";

/** Maximum number of campaigns shown at once. */
const shownMax = 100;

/** Returns the active campaigns, the one that ends first at the top. */
export const activeCampaigns = (): Promise<Campaign[]> =>
  query<Campaign>(
    `SELECT id, title, description, image_url, link, starts_at, ends_at FROM campaigns
     WHERE starts_at <= $1 AND ends_at > $1 ORDER BY ends_at, id LIMIT $2`,
    [new Date(clock.now()), shownMax],
  );
