import { storeNames } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { StoreProductModel } from "#shared/domain/money/purchases/store-product.model.ts";
import { FrameModel } from "#shared/domain/money/store/frame.model.ts";
import { VipPlanModel } from "#shared/domain/money/store/vip-plan.model.ts";
import { newId } from "#shared/kernel/ids.ts";
import { demoFrames, demoPackages, demoPlans } from "./demo-data.ts";
import { demoPicture } from "./demo-pictures.ts";

/** Step: fills the store: frames if there are none, and plans if there are none. */
export async function seedStore(tx: Tx): Promise<void> {
  if ((await tx.query("SELECT 1 FROM frames LIMIT 1")).length === 0) await seedFrames(tx);
  if ((await tx.query("SELECT 1 FROM vip_plans LIMIT 1")).length === 0) await seedPlans(tx);
  if ((await tx.query("SELECT 1 FROM store_products LIMIT 1")).length === 0) await seedProducts(tx);
}

async function seedFrames(tx: Tx): Promise<void> {
  for (const [position, frame] of demoFrames.entries())
    await FrameModel.insert(tx, { id: newId(), ...frame, image_url: demoPicture("frames", frame.name), position });
}

async function seedPlans(tx: Tx): Promise<void> {
  for (const [position, plan] of demoPlans.entries())
    await VipPlanModel.insert(tx, { id: newId(), ...plan, badge_url: demoPicture("badges", plan.name), position });
}

/** The packages and plans of the demo, as apps buy them at both stores. */
async function seedProducts(tx: Tx): Promise<void> {
  const named = (names: readonly { name: string }[]) => names.map(({ name }) => name);
  const sold = await tx.query<{ id: string; name: string; column: string }>(
    `SELECT id, name, 'coin_package_id' AS column FROM coin_packages WHERE name = ANY ($1)
     UNION ALL SELECT id, name, 'vip_plan_id' FROM vip_plans WHERE name = ANY ($2)`,
    [named(demoPackages), named(demoPlans)],
  );
  for (const { id, name, column } of sold)
    for (const store of storeNames) {
      const product_id = `${column === "vip_plan_id" ? "vip" : "coins"}_${name.toLowerCase()}`;
      await StoreProductModel.insert(tx, { id: newId(), store, product_id, [column]: id });
    }
}
