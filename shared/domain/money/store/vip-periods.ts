import type { Recorder } from "#shared/db/outbox-recorder.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { scheduleExpiry } from "./expire-store.ts";
import { lockOwner } from "./lock-owner.ts";

/** Starts VIP when its order is paid. */
export const beginPaidVip: Recorder<"order.paid"> = async (tx, events) => {
  for (const { kind, order_id } of events) if (kind === "vip") await beginVip(tx, order_id);
};

/** Continues VIP when the refund of its order was reversed. */
export const restorePaidVip: Recorder<"order.restored"> = async (tx, events) => {
  for (const { kind, order_id } of events) if (kind === "vip") await restoreVip(tx, order_id);
};

/** Ends VIP when its order is refunded. */
export const endRefundedVip: Recorder<"order.refunded"> = async (tx, events) => {
  for (const { kind, order_id } of events) if (kind === "vip") await endVip(tx, order_id);
};

interface VipOrder {
  readonly user_id: string;
  readonly plan_id: string;
  readonly status: string;
  readonly duration_days: number;
}

/**
 * Step: starts the period of a paid VIP order, once: now, or at the end of the periods of the same plan. A different
 * plan runs alongside; cards show the one bought last. An order that was refunded meanwhile starts nothing: the lock
 * puts this before the refund, which then finds the period, or after it. The periods of a subscription are as its
 * provider says.
 */
async function beginVip(tx: Tx, orderId: string): Promise<void> {
  const [order] = await tx.query<VipOrder & Record<string, unknown>>(
    "SELECT user_id, plan_id, status, duration_days FROM payment_orders WHERE id = $1 AND kind = 'vip' FOR SHARE",
    [orderId],
  );
  if (order?.status !== "paid") return;

  // Periods must not overlap.
  await lockOwner(tx, order.user_id);
  if (await beginSubscribed(tx, orderId)) return;
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

/**
 * Step: starts the period of an order that a subscription has paid. Grace that is known by now extends it, it ends
 * those of the plan that the subscription had before, and what was bought of the same plan for later starts later.
 * Returns false if the order is of no subscription.
 */
async function beginSubscribed(tx: Tx, orderId: string): Promise<boolean> {
  const [period] = await tx.query<{ subscription_id: string; user_id: string; starts_at: string; ends_at: string }>(
    `SELECT p.subscription_id, o.user_id, p.period_starts_at AS starts_at, CASE p.period_ends_at
       WHEN s.current_period_ends_at THEN greatest(p.period_ends_at, s.grace_until) ELSE p.period_ends_at END AS ends_at
     FROM store_purchases p JOIN payment_orders o ON o.id = p.order_id JOIN subscriptions s ON s.id = p.subscription_id
     WHERE p.order_id = $1 AND p.period_ends_at IS NOT NULL`,
    [orderId],
  );
  if (!period) return false;
  const { subscription_id, user_id, starts_at, ends_at } = period;
  const begun = await tx.query(
    `WITH begun AS (
       INSERT INTO vip_periods (order_id, user_id, plan_id, starts_at, ends_at, subscription_id)
       SELECT id, user_id, plan_id, $2, least($3, (
         SELECT min(next.starts_at) FROM vip_periods next
         WHERE next.subscription_id = $4 AND next.plan_id <> o.plan_id AND next.starts_at > $2
       )), $4 FROM payment_orders o WHERE id = $1
       ON CONFLICT (order_id) DO NOTHING RETURNING *
     ), replaced AS (
       UPDATE vip_periods earlier SET ends_at = greatest(begun.starts_at, earlier.starts_at + interval '1 millisecond')
       FROM begun WHERE earlier.subscription_id = begun.subscription_id AND earlier.plan_id <> begun.plan_id
         AND earlier.starts_at <= begun.starts_at AND earlier.ends_at > begun.starts_at AND earlier.ended_at IS NULL
     ), moved AS (
       UPDATE vip_periods later SET starts_at = later.starts_at + (begun.ends_at - begun.starts_at),
         ends_at = later.ends_at + (begun.ends_at - begun.starts_at)
       FROM begun WHERE later.user_id = begun.user_id AND later.plan_id = begun.plan_id
         AND later.subscription_id IS NULL AND later.starts_at >= begun.starts_at AND later.ended_at IS NULL
     )
     SELECT 1 FROM begun`,
    [orderId, starts_at, ends_at, subscription_id],
  );
  if (begun.length === 0) return true;
  await tx.publish("user.card_changed", { user_id });
  await scheduleExpiry(tx, ends_at);
  return true;
}

/**
 * Step: extends the last period of a subscription to `until`, ISO 8601, while its provider asks for the money again.
 * What was ended before its time stays so. With `orderId`, only if that order bought the last period.
 */
export async function extendSubscribed(tx: Tx, subscriptionId: string, until: string, orderId?: string): Promise<void> {
  await lockSubscriber(tx, subscriptionId);
  const extended = await tx.query<{ user_id: string }>(
    `UPDATE vip_periods SET ends_at = $2, ended_at = NULL
     WHERE order_id = (
       SELECT order_id FROM vip_periods WHERE subscription_id = $1 ORDER BY starts_at DESC, created_at DESC LIMIT 1
     ) AND ($3::uuid IS NULL OR order_id = $3) AND ends_at < $2 AND coalesce(ended_at >= ends_at, true)
     RETURNING user_id`,
    [subscriptionId, until, orderId ?? null],
  );
  for (const { user_id } of extended) {
    await tx.publish("user.card_changed", { user_id });
    await scheduleExpiry(tx, until);
  }
}

/** Step: extends a period that a provider has sold to `until`, ISO 8601, because the provider has given more time. */
export async function extendSold(tx: Tx, provider: string, transactionId: string, until: string): Promise<void> {
  const [sold] = await tx.query<{ subscription_id: string | null; order_id: string | null }>(
    `UPDATE store_purchases SET period_ends_at = $3
     WHERE provider = $1 AND transaction_id = $2 AND period_ends_at < $3 RETURNING subscription_id, order_id`,
    [provider, transactionId, until],
  );
  if (sold?.subscription_id && sold.order_id) await extendSubscribed(tx, sold.subscription_id, until, sold.order_id);
}

/**
 * Step: ends the VIP of a subscription at `until`, ISO 8601, if it would last longer: its provider has taken it back,
 * or another one has replaced it. A period that was paid and hasn't begun yet ends there, too.
 */
export async function endSubscribed(tx: Tx, subscriptionId: string, until: string): Promise<void> {
  const owner = await lockSubscriber(tx, subscriptionId);
  await tx.query(
    `UPDATE store_purchases SET period_ends_at = greatest($2, period_starts_at + interval '1 millisecond')
     WHERE subscription_id = $1 AND period_ends_at > $2`,
    [subscriptionId, until],
  );
  const ended = await tx.query(
    `UPDATE vip_periods SET ends_at = greatest($2, starts_at + interval '1 millisecond')
     WHERE subscription_id = $1 AND ends_at > $2 AND ended_at IS NULL RETURNING 1`,
    [subscriptionId, until],
  );
  if (ended.length === 0) return;
  await tx.publish("user.card_changed", owner);
  await scheduleExpiry(tx, until);
}

/** A period that begins meanwhile is seen after this, or sees what its provider has reported. */
async function lockSubscriber(tx: Tx, subscriptionId: string): Promise<{ readonly user_id: string }> {
  const [owner] = await tx.query<{ user_id: string }>("SELECT user_id FROM subscriptions WHERE id = $1", [
    subscriptionId,
  ]);
  await lockOwner(tx, owner!.user_id);
  return owner!;
}

/**
 * Step: continues the period of an order whose refund was reversed: one of a subscription until its end, another one
 * for what was left of it.
 */
async function restoreVip(tx: Tx, orderId: string): Promise<void> {
  const [order] = await tx.query<VipOrder & Record<string, unknown>>(
    "SELECT user_id, status FROM payment_orders WHERE id = $1 FOR SHARE",
    [orderId],
  );
  if (order?.status !== "paid") return;
  await lockOwner(tx, order.user_id);
  const [restored] = await tx.query<{ ends_at: string }>(
    `UPDATE vip_periods v SET ended_at = NULL,
       starts_at = CASE WHEN v.subscription_id IS NULL THEN free.starts_at ELSE v.starts_at END,
       ends_at = CASE WHEN v.subscription_id IS NULL
         THEN free.starts_at + (v.ends_at - greatest(v.starts_at, v.ended_at)) ELSE v.ends_at END
     FROM vip_periods own CROSS JOIN LATERAL (
       SELECT greatest(now(), max(ends_at)) AS starts_at FROM vip_periods
       WHERE user_id = own.user_id AND plan_id = own.plan_id AND ended_at IS NULL
     ) free
     WHERE own.order_id = $1 AND v.order_id = own.order_id AND v.ended_at < v.ends_at RETURNING v.ends_at`,
    [orderId],
  );
  if (!restored) return beginVip(tx, orderId);
  await tx.publish("user.card_changed", { user_id: order.user_id });
  await scheduleExpiry(tx, restored.ends_at);
}

/**
 * Step: ends the period of a refunded order. Later periods of the same plan move up. A refund that was reversed
 * meanwhile ends nothing: an event whose recording failed is recorded after those that followed it.
 */
async function endVip(tx: Tx, orderId: string): Promise<void> {
  const [order] = await tx.query<VipOrder & Record<string, unknown>>(
    "SELECT user_id, status FROM payment_orders WHERE id = $1 FOR SHARE",
    [orderId],
  );
  if (order?.status !== "refunded") return;

  await lockOwner(tx, order.user_id);
  const ended = await tx.query(
    `WITH ended AS (
       UPDATE vip_periods SET ended_at = now() WHERE order_id = $1 AND ended_at IS NULL
       RETURNING user_id, plan_id, ends_at, greatest(ends_at - greatest(starts_at, now()), interval '0') AS rest
     ), moved AS (
       UPDATE vip_periods AS later SET starts_at = later.starts_at - rest, ends_at = later.ends_at - rest
       FROM ended WHERE later.user_id = ended.user_id AND later.plan_id = ended.plan_id
         AND later.starts_at >= ended.ends_at AND later.ended_at IS NULL AND later.subscription_id IS NULL
     )
     SELECT 1 FROM ended`,
    [orderId],
  );
  if (ended.length > 0) await tx.publish("user.card_changed", { user_id: order.user_id });
}
