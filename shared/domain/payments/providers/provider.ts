import type { IncomingHttpHeaders } from "node:http";
import type { ProviderName, ProviderPayload } from "#shared/contracts/views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** An order of ours, as a provider is asked to take money for it. */
export interface OrderToOpen {
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** What is bought, for people. */
  readonly title: string;
}

export interface OpenOrder extends OrderToOpen {
  /** The provider's id of it. */
  readonly providerOrderId: string;
}

/** A payment as the provider tells it. */
export interface ProviderPayment {
  readonly id: string;
  /** The provider's order that it was made for; null for a payment that is for none. */
  readonly orderId: string | null;
  readonly amount: number;
  readonly currency: string;
  /** The money is taken, and may have been given back since. */
  readonly captured: boolean;
}

export interface ProviderRefund {
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
}

/** What a webhook means for us. */
export type EventEffect =
  | { readonly kind: "captured"; readonly payment: ProviderPayment }
  /** The money is reserved, but not captured yet. */
  | { readonly kind: "reserved"; readonly providerOrderId: string }
  | { readonly kind: "failed"; readonly providerOrderId: string }
  | { readonly kind: "refunded"; readonly payment: ProviderPayment; readonly refund: ProviderRefund }
  /** `why` is stored as the outcome. */
  | { readonly kind: "none"; readonly why: "ignored" | "malformed" };

/** A webhook that its provider has signed. */
export interface ProviderEvent {
  /** The provider's id of the event, the same when it is sent again; undefined when it has none. */
  readonly id: string | undefined;
  readonly type: string;
  readonly effect: EventEffect;
  /** What is stored of it: nothing that says who paid, or with which card. */
  readonly summary: object;
}

/** A payment provider. Everything that is special about one stays behind this interface. */
export interface PaymentProvider {
  readonly name: ProviderName;
  /**
   * Opens an order and answers the provider's id of it. `again`: it may have been opened before without our hearing of
   * it; then that one is found and not a second one made.
   * @throws ENGINE_UNAVAILABLE
   */
  openOrder(order: OrderToOpen, again: boolean): Promise<string>;
  /** What a client needs to let the person pay; the same each time. */
  payloadOf(order: OpenOrder): ProviderPayload;
  /** Whether the provider has signed that this payment was made for this order. */
  hasSigned(providerOrderId: string, paymentId: string, signature: string): boolean;
  /**
   * A payment as it is now. Money that is only reserved, and is what the order asks for, is taken first. Undefined when
   * there is none of that id.
   * @throws ENGINE_UNAVAILABLE
   */
  takePayment(paymentId: string, order: OpenOrder): Promise<ProviderPayment | undefined>;
  /**
   * All payments for an order, reserved money taken likewise.
   * @throws ENGINE_UNAVAILABLE
   */
  takePaymentsOf(order: OpenOrder): Promise<ProviderPayment[]>;
  /**
   * Reads a webhook.
   * @throws PAYMENT_SIGNATURE_INVALID when the provider has not signed it, MALFORMED_JSON when it is no JSON object
   */
  parseWebhook(body: Buffer, headers: IncomingHttpHeaders): ProviderEvent;
}

/** Whether a payment is the one that the order asks for: its order, its amount, its currency. */
export const isFor = (order: OpenOrder, payment: ProviderPayment): boolean =>
  payment.orderId === order.providerOrderId && payment.amount === order.amount && payment.currency === order.currency;

/** The provider did not answer, or not what it should have: nothing is known of what it did. */
export const providerAway = () =>
  new DomainError("ENGINE_UNAVAILABLE", "The payment provider is out of reach.", { retryAfter: 5 });

/** A header that came once. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
