import type { JWSRenewalInfoDecodedPayload, JWSTransactionDecodedPayload } from "@apple/app-store-server-library";
import type { SubscriptionStatus } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { receiptInvalid } from "#shared/domain/money/purchases/purchases.errors.ts";
import { type RecordedPurchase, recordPurchase } from "#shared/domain/money/purchases/record-purchase.ts";
import { type PurchaseRefund, refundPurchase } from "#shared/domain/money/purchases/refund-purchase.ts";
import type { VerifiedPurchase } from "#shared/domain/money/purchases/verified-purchase.ts";
import { recordSubscription, type SubscriptionChange } from "#shared/domain/money/subscriptions/record-subscription.ts";
import { clock } from "#shared/kernel/clock.ts";
import { smallestOf } from "#shared/kernel/decimal.ts";

/** A transaction that Apple has signed. */
export interface AppleTransaction {
  /** As it was signed. */
  readonly signed: string;
  readonly payload: JWSTransactionDecodedPayload & { readonly signedDate: number };
}

/** What a notice says about a subscription besides its last transaction. */
export interface AppleRenewal {
  /** Apple's number of the status: 1 active, 2 expired, 3 retry, 4 grace, 5 revoked. */
  readonly status: number | undefined;
  readonly renewal: JWSRenewalInfoDecodedPayload;
  /** When Apple said so, Unix milliseconds. */
  readonly at: number;
}

const plainId = /^[A-Za-z0-9_.-]{1,64}$/;
/** What store products can be named here. */
const plainProduct = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const quantityMax = 1000;
const priceMax = 1_000_000_000_000;
const iso = (time: number): string => new Date(time).toISOString();
const isTime = (time: unknown): time is number => Number.isSafeInteger(time) && Math.abs(time as number) < 8.64e15;

/**
 * Returns a transaction as a purchase. Its price is in thousandths of the currency's unit, for the whole quantity;
 * what is shared in a family was paid by another one of its members.
 * @throws PAYMENT_SIGNATURE_INVALID when Apple has signed nothing that could be bought
 */
export function purchaseOf(
  { signed, payload }: AppleTransaction,
  environment: VerifiedPurchase["environment"],
): VerifiedPurchase {
  const { transactionId, originalTransactionId = transactionId, productId, purchaseDate, expiresDate } = payload;
  const { quantity = 1, price, currency, appAccountToken } = payload;
  const token = appAccountToken?.toLowerCase();
  const isPlain =
    plainId.test(transactionId ?? "") &&
    plainId.test(originalTransactionId ?? "") &&
    plainProduct.test(productId ?? "") &&
    isTime(purchaseDate) &&
    Number.isSafeInteger(quantity) &&
    quantity >= 1 &&
    quantity <= quantityMax;
  const renews = payload.type === "Auto-Renewable Subscription";
  if (!isPlain || (renews && !(isTime(expiresDate) && expiresDate > purchaseDate!))) throw receiptInvalid();
  const isShared = payload.inAppOwnershipType === "FAMILY_SHARED";
  return {
    provider: "apple",
    environment,
    transactionId: transactionId!,
    originalTransactionId: originalTransactionId!,
    userId: token !== undefined && uuid.test(token) ? token : null,
    item: { productId: productId! },
    quantity,
    price: price === undefined || !currency ? null : priceOf(isShared ? 0 : price, currency),
    purchasedAt: iso(purchaseDate!),
    ...(renews && { period: { startsAt: iso(purchaseDate!), endsAt: iso(expiresDate!) } }),
    receipt: signed,
    // The app finishes the transaction; Apple waits for nothing of ours.
    acknowledgeBy: null,
  };
}

function priceOf(thousandths: number, currency: string): { amount: number; currency: string } {
  if (!/^[A-Z]{3}$/.test(currency) || !Number.isFinite(thousandths)) throw receiptInvalid();
  const amount = Math.round((thousandths * 10) / Number(smallestOf(currency)));
  if (amount < 0 || amount > priceMax) throw receiptInvalid();
  return { amount, currency };
}

/**
 * Step: records a transaction that a user presents or a notice names, and takes it back if Apple has. `renewal` is what
 * a notice says of its subscription; without one, the transaction says how that was when it was bought.
 * @throws CONFLICT if it belongs to another user, PAYMENT_SIGNATURE_INVALID
 */
export async function recordTransaction(
  tx: Tx,
  transaction: AppleTransaction,
  {
    environment,
    claimant,
    renewal,
  }: {
    readonly environment: VerifiedPurchase["environment"];
    readonly claimant: string | null;
    readonly renewal?: AppleRenewal | undefined;
  },
): Promise<RecordedPurchase> {
  const purchase = purchaseOf(transaction, environment);
  const recorded = purchase.period
    ? await recordSubscription(tx, changeOf(purchase, transaction, renewal), claimant, purchase)
    : await recordPurchase(tx, purchase, claimant);
  if (transaction.payload.revocationDate !== undefined && recorded.outcome !== "unknown_product")
    await takeBack(tx, transaction, Boolean(purchase.period));
  return recorded;
}

/** Step: takes back a transaction that Apple has returned. */
export const takeBack = (tx: Tx, transaction: AppleTransaction, isPeriod: boolean): Promise<string> =>
  refundPurchase(tx, refundOf(transaction, isPeriod));

/** Returns how Apple has returned a transaction. A subscription that is refunded in part ends, too. */
export function refundOf({ payload }: AppleTransaction, isPeriod: boolean): PurchaseRefund {
  const { transactionId, revocationDate, revocationType, revocationPercentage, signedDate } = payload;
  const at = isTime(revocationDate) ? revocationDate : signedDate;
  const isPart = !isPeriod && revocationType === "REFUND_PRORATED" && revocationPercentage !== undefined;
  return {
    provider: "apple",
    transactionId: transactionId!,
    refundId: `${transactionId}_${at}`.slice(0, 64),
    at: iso(at),
    ...(isPart && { share: Math.min(1, Math.max(0, revocationPercentage / 100_000)) }),
    state: revocationType === "FAMILY_REVOKE" ? "revoked" : "refunded",
  };
}

const statuses: Readonly<Record<number, SubscriptionStatus>> = {
  1: "active",
  2: "expired",
  3: "retry",
  4: "grace",
  5: "revoked",
};

function changeOf(
  { provider, originalTransactionId, userId, item, period, purchasedAt }: VerifiedPurchase,
  { payload }: AppleTransaction,
  told: AppleRenewal | undefined,
): SubscriptionChange {
  const known = { provider, subscriptionId: originalTransactionId, userId, item, period: period! };
  const hasEnded = Date.parse(period!.endsAt) <= clock.now();
  const bySelf = payload.revocationDate ? "revoked" : hasEnded ? "expired" : "active";
  // What a device presents was signed again, but says nothing about what has happened since.
  if (!told) return { ...known, at: purchasedAt, status: bySelf, autoRenew: bySelf === "active" };

  const { renewal, status, at } = told;
  const autoRenew = renewal.autoRenewStatus === 1;
  const named = (status === undefined ? undefined : statuses[status]) ?? bySelf;
  const next = renewal.autoRenewProductId;
  return {
    ...known,
    at: iso(at),
    status: named === "active" && !autoRenew ? "canceled" : named,
    autoRenew,
    graceUntil:
      named === "grace" && isTime(renewal.gracePeriodExpiresDate) ? iso(renewal.gracePeriodExpiresDate) : null,
    pendingItem: autoRenew && next && next !== payload.productId ? { productId: next } : null,
    priceConsent: renewal.priceIncreaseStatus === 0 ? "pending" : renewal.priceIncreaseStatus === 1 ? "agreed" : null,
  };
}
