import type { Tx } from "#shared/db/transaction.ts";
import type { RecordedPurchase } from "#shared/domain/money/purchases/record-purchase.ts";
import { type PurchaseRefund, refundPurchase } from "#shared/domain/money/purchases/refund-purchase.ts";
import type { VerifiedPurchase } from "#shared/domain/money/purchases/verified-purchase.ts";
import { type GoogleOrder, minorUnitsOf } from "./google-shapes.ts";

/** What a look at Google has found, and what became of it. */
export interface Looked {
  readonly outcome:
    | RecordedPurchase["outcome"]
    | Awaited<ReturnType<typeof refundPurchase>>
    /** Google knows no such purchase of this app. */
    | "unknown_purchase"
    /** A test purchase in production, or a real one elsewhere. */
    | "wrong_environment"
    /** It bought another product than the app says, or several at once. */
    | "other_product";
  readonly orderId: string | null;
  /** Google's ID of the order, if it is known. */
  readonly transactionId: string | null;
}

export const found = (outcome: Looked["outcome"]): Looked => ({ outcome, orderId: null, transactionId: null });

/** Returns what was paid; null if Google doesn't say. */
export const priceOf = (order: GoogleOrder | undefined): VerifiedPurchase["price"] =>
  order?.total ? { amount: minorUnitsOf(order.total), currency: order.total.currencyCode } : null;

/** Stands for what an app has named that isn't the ID of a user: no user can present this purchase. */
const noUser = "00000000-0000-0000-0000-000000000000";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the user that the app named when it bought; null if it named none. */
export function userNamed(account: string | undefined): string | null {
  if (account === undefined || account === "") return null;
  return uuid.test(account.toLowerCase()) ? account.toLowerCase() : noUser;
}

type OrderRefund = Omit<PurchaseRefund, "provider" | "transactionId">;

/** Returns what Google says that it has returned of an order, or a bank has charged back: parts first. */
export function refundsOf(
  transactionId: string,
  order: GoogleOrder | undefined,
  { at, canceled = false }: { readonly at: string; readonly canceled?: boolean },
): OrderRefund[] {
  const { refundEvent, partialRefundEvents = [] } = order?.orderHistory ?? {};
  const refunds: OrderRefund[] = [];
  for (const [index, { state, refundDetails, processTime }] of partialRefundEvents.entries()) {
    if (state !== "PROCESSED_SUCCESSFULLY" || !refundDetails?.total || !order?.total) continue;
    refunds.push({
      refundId: `${transactionId}.part${index}`,
      at: processTime ?? at,
      share: Math.min(1, minorUnitsOf(refundDetails.total) / Math.max(1, minorUnitsOf(order.total))),
    });
  }
  if (canceled || order?.state === "REFUNDED" || order?.state === "CANCELED")
    refunds.push({
      refundId: `${transactionId}.refund`,
      at: refundEvent?.eventTime ?? at,
      state: refundEvent?.refundReason === "CHARGEBACK" ? "disputed" : "refunded",
    });
  return refunds;
}

/**
 * Step: takes back what an order bought, as far as Google says that its money was returned or charged back. Returns
 * undefined if nothing was.
 */
export async function takeBackRefunded(
  tx: Tx,
  transactionId: string,
  order: GoogleOrder | undefined,
  when: { readonly at: string; readonly canceled?: boolean },
): Promise<Looked["outcome"] | undefined> {
  let outcome: Looked["outcome"] | undefined;
  for (const refund of refundsOf(transactionId, order, when))
    outcome = await refundPurchase(tx, { provider: "google", transactionId, ...refund });
  return outcome;
}
