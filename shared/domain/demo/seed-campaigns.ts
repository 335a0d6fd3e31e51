import { CampaignModel } from "#shared/domain/campaigns/campaign.model.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { demoCampaigns } from "./demo-data.ts";

/** Step: announces something, where nothing was ever announced. */
export async function seedCampaigns(): Promise<void> {
  if ((await CampaignModel.count()) > 0) return;
  const at = (days: number) => new Date(clock.now() + daysMs(days));
  for (const { title, description, picture, from_day, to_day } of demoCampaigns)
    await CampaignModel.create({
      id: newId(),
      title,
      description,
      image_url: `https://cdn.example.com/events/${picture}.png`,
      link: null,
      starts_at: at(from_day),
      ends_at: at(to_day),
    });
}
