import type { IncomingHttpHeaders } from "node:http";
import type { ProviderName, ProviderPayload } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** An order as sent to a provider. */
export interface OrderToOpen {
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** What is bought, as shown to the payer. */
  readonly title: string;
  /** When we expire it, ISO 8601. */
  readonly expiresAt: string;
  /** Of an order that starts a subscription: for whom, to what, and how long a period is. */
  readonly renewal?: { readonly userId: string; readonly planId: string; readonly days: number };
}

export interface OpenOrder extends OrderToOpen {
  /** The provider's id of the order. */
  readonly providerOrderId: string;
  /** The provider's page where it is paid, if the provider gave one as the order was opened. */
  readonly checkoutUrl: string | null;
}

/** A payment as the provider reports it. */
export interface ProviderPayment {
  readonly id: string;
  /** The provider's order that it is for; null for a payment without one. */
  readonly orderId: string | null;
  readonly amount: number;
  readonly currency: string;
  /** The money was captured, and may have been refunded since. */
  readonly captured: boolean;
  /**
   * Step that settles it instead of `settlePayment`, if it has paid a period of a subscription: it records how the
   * subscription is now, too.
   */
  readonly settle?: (tx: Tx) => Promise<Settlement>;
}

/** What became of a captured payment. */
export type Settlement =
  /** It paid the order. */
  | "paid"
  /** It was recorded before. */
  | "seen"
  /** Another payment had already paid the order: this one bought nothing, and must be refunded by hand. */
  | "surplus"
  /** We have no order with this ID at the provider. */
  | "unknown_order"
  /** It isn't what was ordered: another amount or currency, or it is recorded for another order. It buys nothing. */
  | "mismatch";

export interface ProviderRefund {
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  /** Of money that a dispute has taken: whether it is still open. One that is won is reversed. */
  readonly dispute?: "open" | "lost";
}

export interface RefundToMake {
  readonly key: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
}

/** The result of a refund that we requested. */
export type RefundAnswer =
  | { readonly status: "processed"; readonly refund: ProviderRefund }
  /** Accepted, and not yet processed. */
  | { readonly status: "pending" }
  | { readonly status: "rejected"; readonly why: string };

/** The meaning of a webhook, whichever provider sent it. */
export type EventEffect =
  | { readonly kind: "captured"; readonly payment: ProviderPayment }
  /** The money is reserved, but not captured yet. */
  | { readonly kind: "reserved"; readonly providerOrderId: string }
  | { readonly kind: "failed"; readonly providerOrderId: string }
  | { readonly kind: "refunded"; readonly payment: ProviderPayment; readonly refund: ProviderRefund }
  /** A refund failed after all, or a dispute was won: what was taken for it is given back. */
  | { readonly kind: "reversed"; readonly payment: ProviderPayment; readonly refundId: string }
  /** All that is to be known of a payment, in this order. */
  | { readonly kind: "all"; readonly payment: ProviderPayment; readonly effects: readonly EventEffect[] }
  /** `why` is stored as the outcome. */
  | { readonly kind: "none"; readonly why: "ignored" | "malformed" };

/** A webhook that its provider has signed. */
export interface ProviderEvent {
  /** The provider's id of the event, from an unsigned header; undefined when it has none. */
  readonly id: string | undefined;
  readonly type: string;
  readonly effect: EventEffect;
  /** The part of it that is stored: nothing about the payer or the card. */
  readonly summary: object;
}

/** The amounts that a provider accepts in a currency, minor units: from `min`, in multiples of `step`. */
export interface PriceLimits {
  readonly min: number;
  readonly step: number;
}

/** Something in a provider's books: a payment, or money that went back, by a refund or a dispute. */
export interface HistoryEntry {
  readonly kind: "payment" | "refund";
  readonly id: string;
  /** Of a refund: the provider's id of its payment. */
  readonly paymentId: string;
  /** The provider's id of the order and ours, as far as its books have them. */
  readonly providerOrderId: string | null;
  readonly orderId: string | null;
  /** Minor units; null if its books don't say. */
  readonly amount: number | null;
  readonly currency: string | null;
  /** The money moved, and stays moved. */
  readonly stands: boolean;
  /** Of money that a dispute has taken. */
  readonly dispute?: ProviderRefund["dispute"];
  /** Records it as its webhook would have, if that takes more than the order that it is of. */
  readonly settle?: () => Promise<unknown>;
}

/** A provider's own books, for the reconciliation. */
export interface ProviderHistory {
  /**
   * Returns what its books have of a day (UTC, `YYYY-MM-DD`), page by page.
   * @throws ENGINE_UNAVAILABLE
   */
  historyOf(day: string): AsyncIterable<readonly HistoryEntry[]>;
  /**
   * Returns one entry as it is now; undefined if the provider has none, or it is of no order of ours.
   * @throws ENGINE_UNAVAILABLE
   */
  entryOf(entry: Pick<HistoryEntry, "kind" | "id" | "paymentId">): Promise<HistoryEntry | undefined>;
}

/** Returns when a day (UTC) begins and when it is over, seconds since 1970. */
export function secondsOf(day: string): { readonly from: number; readonly to: number } {
  const from = Date.parse(`${day}T00:00:00.000Z`) / 1000;
  return { from, to: from + 86_400 };
}

/** A payment provider. Everything that is special about one stays behind this interface. */
export interface PaymentProvider {
  readonly name: ProviderName;
  /** Whether an order can start a subscription there. */
  readonly canRenew?: boolean;
  limitsIn(currency: string): PriceLimits;
  /**
   * Opens an order and returns the provider's id of it, and its page if it has one. With `again`, an earlier call may
   * have opened it without our getting the response; then that order is found instead of opening a second.
   * @throws ORDER_NOT_PAYABLE if the provider refuses the order, ENGINE_UNAVAILABLE
   */
  openOrder(order: OrderToOpen, again: boolean): Promise<Pick<OpenOrder, "providerOrderId" | "checkoutUrl">>;
  /** Returns what a client needs to let the user pay; the same each time. */
  payloadOf(order: OpenOrder): ProviderPayload;
  /**
   * Returns whether the provider has signed that this payment was made for this order. Absent if it signs nothing for
   * clients: then its books say whether the order was paid.
   */
  hasSigned?(providerOrderId: string, paymentId: string, signature: string): boolean;
  /**
   * Returns a payment as it is now, after capturing reserved money that matches the order. Undefined when there is no
   * such payment.
   * @throws ENGINE_UNAVAILABLE
   */
  capturePayment(paymentId: string, order: OpenOrder): Promise<ProviderPayment | undefined>;
  /**
   * Returns all payments for an order, after capturing reserved money likewise.
   * @throws ENGINE_UNAVAILABLE
   */
  capturePaymentsOf(order: OpenOrder): Promise<ProviderPayment[]>;
  /** Ends an order that has expired, so that it can't be paid any longer, at a provider where this can be done. */
  closeOrder?(order: OpenOrder): Promise<void>;
  /**
   * Stops a subscription from renewing, where an order can start one. Returns its latest payment, whose `settle`
   * records how it is then.
   * @throws ENGINE_UNAVAILABLE
   */
  endRenewal?(subscriptionId: string): Promise<ProviderPayment | undefined>;
  /**
   * Refunds a part of a payment in minor units, once for each key: asking again returns what became of it.
   * @throws ENGINE_UNAVAILABLE when it is unknown whether the money is refunded
   */
  refundPayment(paymentId: string, refund: RefundToMake): Promise<RefundAnswer>;
  /**
   * Reads a webhook.
   * @throws PAYMENT_SIGNATURE_INVALID when the provider has not signed it, MALFORMED_JSON when it is no JSON object,
   *   ENGINE_UNAVAILABLE when its provider has to be asked and does not respond
   */
  parseWebhook(body: Buffer, headers: IncomingHttpHeaders): ProviderEvent | Promise<ProviderEvent>;
  readonly history: ProviderHistory;
}

/** Returns whether a payment matches an order: its id, amount and currency. */
export const isFor = (order: OpenOrder, payment: ProviderPayment): boolean =>
  payment.orderId === order.providerOrderId && payment.amount === order.amount && payment.currency === order.currency;

/** The provider did not respond, or not as specified: what it has done is unknown. */
export const providerUnavailable = () =>
  new DomainError("ENGINE_UNAVAILABLE", "The payment provider is unreachable.", { retryAfter: 5 });

/** The provider doesn't accept an order as it is, so that nothing was opened. */
export const providerRefused = () =>
  new DomainError("ORDER_NOT_PAYABLE", "The payment provider doesn't accept this order. Contact support.");

/** Returns a header that was sent once. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
