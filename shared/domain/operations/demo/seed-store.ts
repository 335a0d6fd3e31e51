import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { demoFrames, demoPlans } from "./demo-data.ts";

/** Step: fills the store: frames if there are none, and plans if there are none. */
export async function seedStore(tx: Tx): Promise<void> {
  if ((await tx.query("SELECT 1 FROM frames LIMIT 1")).length === 0) await seedFrames(tx);
  if ((await tx.query("SELECT 1 FROM vip_plans LIMIT 1")).length === 0) await seedPlans(tx);
}

async function seedFrames(tx: Tx): Promise<void> {
  for (const [position, { name, price, duration_days }] of demoFrames.entries())
    await tx.query(
      "INSERT INTO frames (id, name, image_url, price, duration_days, position) VALUES ($1, $2, $3, $4, $5, $6)",
      [newId(), name, addressOf("frames", name), price, duration_days, position],
    );
}

async function seedPlans(tx: Tx): Promise<void> {
  for (const [position, { name, price, currency, duration_days, benefits }] of demoPlans.entries())
    await tx.query(
      `INSERT INTO vip_plans (id, name, price, currency, duration_days, benefits, badge_url, position)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [newId(), name, price, currency, duration_days, benefits, addressOf("badges", name), position],
    );
}

const addressOf = (folder: string, name: string): string =>
  `https://cdn.example.com/${folder}/${name.toLowerCase().replaceAll(" ", "-")}.png`;
