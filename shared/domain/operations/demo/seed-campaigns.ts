import type { Tx } from "#shared/db/transaction.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { demoCampaigns } from "./demo-data.ts";
import { demoPicture } from "./demo-pictures.ts";

/** Step: announces the demo campaigns, unless there has been a campaign. */
export async function seedCampaigns(tx: Tx): Promise<void> {
  if ((await tx.query("SELECT 1 FROM campaigns LIMIT 1")).length > 0) return;

  for (const { title, description, picture, from_day, to_day } of demoCampaigns)
    await tx.query(
      `INSERT INTO campaigns (id, title, description, image_url, starts_at, ends_at)
       VALUES ($1, $2, $3, $4, $5::timestamptz + $6 * interval '1 day', $5::timestamptz + $7 * interval '1 day')`,
      [newId(), title, description, demoPicture("events", picture), isoNow(), from_day, to_day],
    );
}
