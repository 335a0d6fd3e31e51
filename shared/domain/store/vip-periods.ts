import type { Recorder } from "#shared/contracts/domain-events.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { noteExpiryAt } from "./expire-store.ts";
import { lockOwner } from "./lock-owner.ts";

/** VIP follows the money: begins with a paid order. */
export const beginPaidVip: Recorder<"order.paid"> = async ({ kind, order_id }) => {
  if (kind === "vip") await beginVip(order_id);
};

/** VIP ends when the money is given back. */
export const endRefundedVip: Recorder<"order.refunded"> = async ({ kind, order_id }) => {
  if (kind === "vip") await endVip(order_id);
};

/**
 * Gives what a paid VIP order has bought, once: from now on, or from the end of what runs of the same plan. Another plan
 * runs beside it; people see the one that was bought last. An order that was refunded meanwhile gives nothing: the lock
 * puts this before the refund, which then finds the period, or after it.
 */
async function beginVip(orderId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const [order] = await tx.query<{ user_id: string; plan_id: string; status: string; duration_days: number }>(
      "SELECT user_id, plan_id, status, duration_days FROM payment_orders WHERE id = $1 AND kind = 'vip' FOR SHARE",
      [orderId],
    );
    if (order?.status !== "paid") return;
    // So that periods follow each other without overlapping.
    await lockOwner(tx, order.user_id);
    const [begun] = await tx.query<{ ends_at: string }>(
      `INSERT INTO vip_periods (order_id, user_id, plan_id, starts_at, ends_at)
       SELECT $1, $2, $3, starts_at, starts_at + $4 * interval '1 day'
       FROM (
         SELECT greatest(now(), max(ends_at)) AS starts_at FROM vip_periods
         WHERE user_id = $2 AND plan_id = $3 AND ended_at IS NULL
       ) free
       ON CONFLICT (order_id) DO NOTHING RETURNING ends_at`,
      [orderId, order.user_id, order.plan_id, order.duration_days],
    );
    if (!begun) return;
    await tx.publish("user.card_changed", { user_id: order.user_id });
    await noteExpiryAt(tx, begun.ends_at);
  });
}

/** Takes back what is left of a refunded order's period; those of the same plan that were to follow it move up. */
async function endVip(orderId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const [period] = await tx.query<{ user_id: string }>("SELECT user_id FROM vip_periods WHERE order_id = $1", [
      orderId,
    ]);
    if (!period) return;
    await lockOwner(tx, period.user_id);
    const ended = await tx.query(
      `WITH ended AS (
         UPDATE vip_periods SET ended_at = now() WHERE order_id = $1 AND ended_at IS NULL
         RETURNING user_id, plan_id, ends_at, greatest(ends_at - greatest(starts_at, now()), interval '0') AS rest
       ), moved AS (
         UPDATE vip_periods AS later SET starts_at = later.starts_at - rest, ends_at = later.ends_at - rest
         FROM ended WHERE later.user_id = ended.user_id AND later.plan_id = ended.plan_id
           AND later.starts_at >= ended.ends_at AND later.ended_at IS NULL
       )
       SELECT 1 FROM ended`,
      [orderId],
    );
    if (ended.length > 0) await tx.publish("user.card_changed", { user_id: period.user_id });
  });
}
