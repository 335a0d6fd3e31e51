import type { Frame, Platform, VipPlan } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { soldAtStore, storeOf } from "#shared/domain/money/payments/payments.queries.ts";

/** A frame as one user sees it; `o` is the user's ownership, if it has not expired. */
const shownFrame = `f.id, f.name, f.image_url, f.price, f.duration_days, o.user_id IS NOT NULL AS owned_by_me,
  coalesce(o.equipped, false) AS equipped, o.expires_at`;
const ownedNow = "o.frame_id = f.id AND o.user_id = $1 AND (o.expires_at IS NULL OR o.expires_at > now())";

/** Returns the frames on sale, and those that the user owns although they are no longer on sale. */
export function listFrames(userId: string): Promise<Frame[]> {
  return query<Frame>(
    `SELECT ${shownFrame} FROM frames f LEFT JOIN frame_ownerships o ON ${ownedNow}
     WHERE f.retired_at IS NULL OR o.user_id IS NOT NULL ORDER BY f.position, f.price, f.id`,
    [userId],
  );
}

/** Returns a frame as one user sees it. */
export async function frameFor(userId: string, frameId: string): Promise<Frame | undefined> {
  return queryOne<Frame>(
    `SELECT ${shownFrame} FROM frames f LEFT JOIN frame_ownerships o ON ${ownedNow} WHERE f.id = $2`,
    [userId, frameId],
  );
}

/** Returns the plans on sale, in display order, with what an app for the platform buys at its store. */
export function listVipPlans(platform?: Platform): Promise<VipPlan[]> {
  return query<VipPlan>(
    `SELECT id, name, price, currency, duration_days, renews, benefits, badge_url,
       ${soldAtStore("vip_plan_id", "vip_plans.id")} AS store_product_id
     FROM vip_plans WHERE retired_at IS NULL ORDER BY position, price, id`,
    [storeOf(platform)],
  );
}
