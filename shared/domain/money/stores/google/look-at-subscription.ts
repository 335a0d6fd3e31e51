import type { SubscriptionStatus } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import type { VerifiedPurchase } from "#shared/domain/money/purchases/verified-purchase.ts";
import { endSubscribed, extendSubscribed } from "#shared/domain/money/store/vip-periods.ts";
import { recordSubscription } from "#shared/domain/money/subscriptions/record-subscription.ts";
import { clock } from "#shared/kernel/clock.ts";
import { acknowledgeJob, acknowledgeWithinMs } from "./acknowledge.ts";
import { googlePlay } from "./google.config.ts";
import type { GoogleOrder, SubscriptionPurchase } from "./google-shapes.ts";
import { found, type Looked, priceOf, takeBackRefunded, userNamed } from "./look-at-order.ts";

/** What the states of Google's mean here. Others, such as PENDING, mean that nothing is owned yet. */
const statuses: Readonly<Record<string, SubscriptionStatus>> = {
  SUBSCRIPTION_STATE_ACTIVE: "active",
  SUBSCRIPTION_STATE_IN_GRACE_PERIOD: "grace",
  SUBSCRIPTION_STATE_ON_HOLD: "retry",
  SUBSCRIPTION_STATE_PAUSED: "paused",
  SUBSCRIPTION_STATE_CANCELED: "canceled",
  SUBSCRIPTION_STATE_EXPIRED: "expired",
};
/** The states that entitle until the expiry time; in the others, that time is past. */
const entitled: readonly SubscriptionStatus[] = ["active", "grace", "canceled"];

type LineItem = SubscriptionPurchase["lineItems"][number];

/**
 * Looks at a subscription at Google, and has our books say the same: its state, the period that was paid last, and VIP
 * until Google says. Otherwise as `lookAtProduct`.
 * @throws CONFLICT if it belongs to another user, ENGINE_UNAVAILABLE, NOT_FOUND (Google Play isn't configured)
 */
export async function lookAtSubscription(
  token: string,
  claimant: string | null = null,
  productId?: string,
): Promise<Looked> {
  const { client, environment } = googlePlay();
  const at = new Date(clock.now()).toISOString();
  const shown = await client.subscription(token);
  if (!shown) return found("unknown_purchase");
  if ((shown.testPurchase ? "sandbox" : "production") !== environment) return found("wrong_environment");
  if (productId !== undefined && !shown.lineItems.some((item) => item.productId === productId))
    return found("other_product");

  const status = statuses[shown.subscriptionState];
  const item = latestOwned(shown);
  if (!status || !item) return found("pending");
  const orderId = item.latestSuccessfulOrderId ?? shown.latestOrderId!;
  const order = await client.order(orderId);
  const endsAt = item.expiryTime!;
  const period = (await knownPeriod(orderId)) ?? periodOf(shown, order, endsAt, at);
  const linkedUser = shown.linkedPurchaseToken ? await userOf(shown.linkedPurchaseToken) : null;
  const userId = namedBy(shown) ?? linkedUser;

  const mustAcknowledge = shown.acknowledgementState !== "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED";
  const paid: VerifiedPurchase = {
    provider: "google",
    environment,
    transactionId: orderId,
    originalTransactionId: token,
    userId,
    item: { productId: item.productId },
    quantity: 1,
    price: priceOf(order),
    country: shown.regionCode,
    purchasedAt: order?.createTime ?? period.startsAt,
    period,
    receipt: JSON.stringify(shown),
    acknowledgeBy: mustAcknowledge ? new Date(clock.now() + acknowledgeWithinMs).toISOString() : null,
  };
  const change = { ...changeOf(shown, item, status), subscriptionId: token, userId, at, period };
  return inTransaction(async (tx) => {
    if (shown.linkedPurchaseToken)
      await endReplaced(tx, shown.linkedPurchaseToken, orderId, { at, from: period.startsAt });
    const { subscriptionId, stale, ...recorded } = await recordSubscription(tx, change, claimant, paid);
    if (recorded.outcome === "paid" && mustAcknowledge) await tx.enqueue(acknowledgeJob, { transaction_id: orderId });
    if (subscriptionId && !stale)
      await (entitled.includes(status) ? extendSubscribed : endSubscribed)(tx, subscriptionId, endsAt);
    const taken = await takeBackRefunded(tx, orderId, order, { at });
    return { ...recorded, transactionId: orderId, outcome: taken ?? recorded.outcome };
  });
}

/** Returns what a subscription is like now. */
function changeOf(shown: SubscriptionPurchase, item: LineItem, status: SubscriptionStatus) {
  const { productId, autoRenewingPlan, expiryTime } = item;
  const next = nextProduct(shown, item);
  return {
    provider: "google" as const,
    item: { productId },
    status,
    autoRenew: autoRenewingPlan?.autoRenewEnabled ?? false,
    graceUntil: status === "grace" ? expiryTime! : null,
    pendingItem: next === undefined ? null : { productId: next },
    priceConsent: priceConsentOf(item),
  };
}

/** Returns the item that is owned, and lasts longest: after a deferred change, the next one is listed beside it. */
export function latestOwned({
  lineItems,
  latestOrderId,
  subscriptionState,
}: SubscriptionPurchase): LineItem | undefined {
  const isOwned = ({ latestSuccessfulOrderId, expiryTime }: LineItem) =>
    expiryTime !== undefined &&
    (latestSuccessfulOrderId !== undefined ||
      // Of older answers: here, the latest order is a paid one.
      (latestOrderId !== undefined && subscriptionState === "SUBSCRIPTION_STATE_ACTIVE"));
  return lineItems.filter(isOwned).sort((a, b) => Date.parse(b.expiryTime!) - Date.parse(a.expiryTime!))[0];
}

/** Returns what the next period buys, if it differs. */
const nextProduct = ({ lineItems }: SubscriptionPurchase, owned: LineItem): string | undefined =>
  owned.deferredItemReplacement?.productId ??
  lineItems.find(({ productId, latestSuccessfulOrderId }) => productId !== owned.productId && !latestSuccessfulOrderId)
    ?.productId;

/** Grace and extensions move the expiry time, but the period that was paid stays as it was. */
const knownPeriod = (orderId: string): Promise<VerifiedPurchase["period"]> =>
  queryOne<{ startsAt: string; endsAt: string }>(
    `SELECT period_starts_at AS "startsAt", period_ends_at AS "endsAt" FROM store_purchases
     WHERE provider = 'google' AND transaction_id = $1 AND period_ends_at IS NOT NULL`,
    [orderId],
  );

/** A renewal starts with its order. What was revoked at once lasts for a moment. */
function periodOf(
  { startTime }: SubscriptionPurchase,
  order: GoogleOrder | undefined,
  endsAt: string,
  at: string,
): { readonly startsAt: string; readonly endsAt: string } {
  const startsAt = order?.createTime ?? startTime ?? at;
  return { startsAt, endsAt: new Date(Math.max(Date.parse(endsAt), Date.parse(startsAt) + 1)).toISOString() };
}

const namedBy = ({ externalAccountIdentifiers: own, outOfAppPurchaseContext: before }: SubscriptionPurchase) =>
  userNamed(own?.obfuscatedExternalAccountId ?? before?.expiredExternalAccountIdentifiers?.obfuscatedExternalAccountId);

const userOf = async (token: string): Promise<string | null> => {
  const row = await queryOne<{ user_id: string }>(
    "SELECT user_id FROM subscriptions WHERE provider = 'google' AND provider_subscription_id = $1",
    [token],
  );
  return row?.user_id ?? null;
};

/** A price that rises without consent needs none. */
function priceConsentOf({ autoRenewingPlan }: LineItem): "pending" | "agreed" | null {
  const state = autoRenewingPlan?.priceChangeDetails?.priceChangeState;
  if (state === "OUTSTANDING") return "pending";
  return state === "CONFIRMED" ? "agreed" : null;
}

/**
 * Step: ends the subscription that another one has replaced, and its VIP from then on, unless the new one goes on with
 * the period that the old one paid.
 */
async function endReplaced(
  tx: Tx,
  token: string,
  orderId: string,
  { at, from }: { readonly at: string; readonly from: string },
): Promise<void> {
  const [old] = await tx.query<{ id: string; goes_on: boolean }>(
    `UPDATE subscriptions s SET status = 'expired', auto_renew = false, event_at = greatest(event_at, $3),
       updated_at = now()
     WHERE provider = 'google' AND provider_subscription_id = $1 AND status NOT IN ('expired', 'revoked')
     RETURNING id, EXISTS (SELECT 1 FROM store_purchases WHERE subscription_id = s.id AND transaction_id = $2) AS goes_on`,
    [token, orderId, at],
  );
  if (old && !old.goes_on) await endSubscribed(tx, old.id, from);
}
