import { Op } from "sequelize";
import type { Campaign } from "#shared/contracts/views.ts";
import { clock } from "#shared/kernel/clock.ts";
import { CampaignModel } from "./campaign.model.ts";

/** Maximum number of campaigns shown at once. */
const shownMax = 100;

/** Returns the active campaigns, the one that ends first at the top. */
export async function activeCampaigns(): Promise<Campaign[]> {
  const now = new Date(clock.now());
  const found = await CampaignModel.findAll({
    where: { starts_at: { [Op.lte]: now }, ends_at: { [Op.gt]: now } },
    order: ["ends_at", "id"],
    limit: shownMax,
  });
  return found.map(({ id, title, description, image_url, link, starts_at, ends_at }) => ({
    id,
    title,
    description,
    image_url,
    link,
    starts_at: starts_at.toISOString(),
    ends_at: ends_at.toISOString(),
  }));
}
