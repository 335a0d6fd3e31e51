import type { SubscriptionStatus } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { ownerOf, type RecordedPurchase, recordPurchase } from "#shared/domain/money/purchases/record-purchase.ts";
import {
  itemSold,
  type PurchasedItem,
  type PurchaseProvider,
  type VerifiedPurchase,
} from "#shared/domain/money/purchases/verified-purchase.ts";
import { extendSubscribed } from "#shared/domain/money/store/vip-periods.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";

/** A subscription as its provider reports it. All times are ISO 8601. */
export interface SubscriptionChange {
  readonly provider: PurchaseProvider;
  /** The provider's ID of the subscription, the same for all of its periods. */
  readonly subscriptionId: string;
  /** The user that the app named; null if it named none. */
  readonly userId: string | null;
  readonly item: PurchasedItem;
  /** When the provider said so. What it said earlier and arrives later changes nothing. */
  readonly at: string;
  readonly status: SubscriptionStatus;
  readonly autoRenew: boolean;
  readonly period: { readonly startsAt: string; readonly endsAt: string };
  /** Until when the user keeps what they bought while the provider asks for the money again. */
  readonly graceUntil?: string | null;
  /** What the next period buys, if it differs. */
  readonly pendingItem?: PurchasedItem | null;
  /** Whether the user has agreed to a new price. */
  readonly priceConsent?: "pending" | "agreed" | null;
}

export interface RecordedSubscription extends RecordedPurchase {
  /** Null if no user is known to own it: then nothing is recorded of it. */
  readonly subscriptionId: string | null;
  /** A later report has been applied already: this one has changed only what it paid. */
  readonly stale: boolean;
}

/**
 * Step: records a subscription as it is now, and the period that was paid, if any, as an order: see `recordPurchase`,
 * which says what `claimant` is. VIP follows from the paid periods, and from grace. Reports may come in any order and
 * more than once.
 * @throws CONFLICT if it belongs to another user than who presents it
 */
export async function recordSubscription(
  tx: Tx,
  change: SubscriptionChange,
  claimant: string | null,
  paid?: VerifiedPurchase,
): Promise<RecordedSubscription> {
  const { provider, subscriptionId, item } = change;
  const planId = (await itemSold(tx, provider, item))?.planId;
  if (!planId) {
    logger.error({ provider, subscriptionId, item }, "a store sold a subscription that we don't know");
    return { outcome: "unknown_product", orderId: null, subscriptionId: null, stale: false };
  }
  const before = await lockSubscription(tx, provider, subscriptionId);
  const owner = await ownerOf(change.userId ? null : (before?.user_id ?? null), change.userId, claimant);
  const userId = owner ?? before?.user_id ?? null;
  if (!userId) {
    const recorded = paid && (await recordPurchase(tx, paid, claimant));
    return { outcome: "unclaimed", orderId: null, ...recorded, subscriptionId: null, stale: false };
  }

  const pendingPlanId = change.pendingItem
    ? ((await itemSold(tx, provider, change.pendingItem))?.planId ?? null)
    : null;
  const row = await put(tx, change, { userId, planId, pendingPlanId });
  const recorded: RecordedPurchase = paid
    ? await recordPurchase(tx, { ...paid, userId: paid.userId ?? userId }, claimant, row.id)
    : { outcome: "seen", orderId: null };
  if (!row.stale)
    await tx.publish("subscription.updated", { subscription_id: row.id, user_id: userId, status: change.status });
  if (!row.stale && change.graceUntil) await extendSubscribed(tx, row.id, change.graceUntil);
  return { ...recorded, subscriptionId: row.id, stale: row.stale };
}

async function lockSubscription(tx: Tx, provider: PurchaseProvider, subscriptionId: string) {
  const [row] = await tx.query<{ id: string; user_id: string }>(
    "SELECT id, user_id FROM subscriptions WHERE provider = $1 AND provider_subscription_id = $2 FOR UPDATE",
    [provider, subscriptionId],
  );
  return row;
}

/** Stores what a report says, unless a later one was stored. */
async function put(
  tx: Tx,
  { provider, subscriptionId, at, status, autoRenew, period, graceUntil, priceConsent }: SubscriptionChange,
  { userId, planId, pendingPlanId }: { userId: string; planId: string; pendingPlanId: string | null },
): Promise<{ id: string; stale: boolean }> {
  const [written] = await tx.query<{ id: string }>(
    `INSERT INTO subscriptions AS s (id, user_id, provider, provider_subscription_id, plan_id, status, auto_renew,
       current_period_starts_at, current_period_ends_at, grace_until, pending_plan_id, price_consent, event_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (provider, provider_subscription_id) DO UPDATE SET user_id = EXCLUDED.user_id,
       plan_id = EXCLUDED.plan_id, status = EXCLUDED.status, auto_renew = EXCLUDED.auto_renew,
       current_period_starts_at = EXCLUDED.current_period_starts_at,
       current_period_ends_at = EXCLUDED.current_period_ends_at, grace_until = EXCLUDED.grace_until,
       pending_plan_id = EXCLUDED.pending_plan_id, price_consent = EXCLUDED.price_consent,
       event_at = EXCLUDED.event_at, updated_at = now()
     WHERE s.event_at <= EXCLUDED.event_at RETURNING id`,
    [
      newId(),
      userId,
      provider,
      subscriptionId,
      planId,
      status,
      autoRenew,
      period.startsAt,
      period.endsAt,
      graceUntil ?? null,
      pendingPlanId,
      priceConsent ?? null,
      at,
    ],
  );
  if (written) return { id: written.id, stale: false };
  return { id: (await lockSubscription(tx, provider, subscriptionId))!.id, stale: true };
}
