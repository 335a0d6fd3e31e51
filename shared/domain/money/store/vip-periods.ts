import type { Recorder } from "#shared/db/outbox-recorder.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { scheduleExpiry } from "./expire-store.ts";
import { lockOwner } from "./lock-owner.ts";

/** Starts VIP when its order is paid. */
export const beginPaidVip: Recorder<"order.paid"> = async (tx, events) => {
  for (const { kind, order_id } of events) if (kind === "vip") await beginVip(tx, order_id);
};

/** Ends VIP when its order is refunded. */
export const endRefundedVip: Recorder<"order.refunded"> = async (tx, events) => {
  for (const { kind, order_id } of events) if (kind === "vip") await endVip(tx, order_id);
};

/**
 * Step: starts the period of a paid VIP order, once: now, or at the end of the periods of the same plan. A different
 * plan runs alongside; cards show the one bought last. An order that was refunded meanwhile starts nothing: the lock
 * puts this before the refund, which then finds the period, or after it.
 */
async function beginVip(tx: Tx, orderId: string): Promise<void> {
  const [order] = await tx.query<{ user_id: string; plan_id: string; status: string; duration_days: number }>(
    "SELECT user_id, plan_id, status, duration_days FROM payment_orders WHERE id = $1 AND kind = 'vip' FOR SHARE",
    [orderId],
  );
  if (order?.status !== "paid") return;

  // Periods must not overlap.
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
  await scheduleExpiry(tx, begun.ends_at);
}

/** Step: ends the period of a refunded order. Later periods of the same plan move up. */
async function endVip(tx: Tx, orderId: string): Promise<void> {
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
}
