/** An order as a provider gets it. */
export interface OrderToDeliver {
  /** The provider's idempotency key: however often it is sent, the provider delivers it once. */
  readonly id: number;
  readonly topUp: string;
  readonly service: string;
  /** What the buyer entered, by the names of the fields. */
  readonly input: Readonly<Record<string, string>>;
}

/** What became of an order at its provider. */
export type Delivery =
  /** `reference` is shown to the reseller. */
  | { readonly status: "completed"; readonly reference: string }
  /** It is certain that nothing was and will be delivered. `reason` is shown to the reseller. */
  | { readonly status: "failed"; readonly reason: string }
  /** Accepted, and not delivered yet. */
  | { readonly status: "pending" };

/**
 * Delivers top-ups at once. Everything that is special about a provider stays behind this interface. A call throws when
 * the outcome is unknown, such as after a timeout: then `find` is asked later.
 */
export interface FulfilmentProvider {
  /** Stored with the order: later questions go to the same provider. */
  readonly name: string;
  /** Delivers an order, once for each id. */
  deliver(order: OrderToDeliver, signal: AbortSignal): Promise<Delivery>;
  /** Returns what became of an order; undefined if the provider has never received it. */
  find(orderId: number, signal: AbortSignal): Promise<Delivery | undefined>;
}
