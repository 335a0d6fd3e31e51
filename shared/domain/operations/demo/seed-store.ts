import type { Tx } from "#shared/db/transaction.ts";
import { FrameModel } from "#shared/domain/money/store/frame.model.ts";
import { VipPlanModel } from "#shared/domain/money/store/vip-plan.model.ts";
import { newId } from "#shared/kernel/ids.ts";
import { demoFrames, demoPlans } from "./demo-data.ts";
import { demoPicture } from "./demo-pictures.ts";

/** Step: fills the store: frames if there are none, and plans if there are none. */
export async function seedStore(tx: Tx): Promise<void> {
  if ((await tx.query("SELECT 1 FROM frames LIMIT 1")).length === 0) await seedFrames(tx);
  if ((await tx.query("SELECT 1 FROM vip_plans LIMIT 1")).length === 0) await seedPlans(tx);
}

async function seedFrames(tx: Tx): Promise<void> {
  for (const [position, frame] of demoFrames.entries())
    await FrameModel.insert(tx, { id: newId(), ...frame, image_url: demoPicture("frames", frame.name), position });
}

async function seedPlans(tx: Tx): Promise<void> {
  for (const [position, plan] of demoPlans.entries())
    await VipPlanModel.insert(tx, { id: newId(), ...plan, badge_url: demoPicture("badges", plan.name), position });
}
