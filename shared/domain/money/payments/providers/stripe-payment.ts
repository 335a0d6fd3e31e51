import type Stripe from "stripe";
import type { Infer } from "#shared/contracts/fields.ts";
import type { ProviderPayment } from "./provider.ts";
import { found } from "./stripe-client.ts";
import { fromStripe } from "./stripe-money.ts";
import { paymentIntent, stripeList, stripeSession } from "./stripe-records.ts";
import type { RecordStripeSubscription } from "./stripe-subscription.ts";
import { findSubscription, paymentOf, type StripePeriod, subscriptionPaidBy } from "./stripe-subscription.ts";

/** Finds what was paid at Stripe, for an order or for a period of a subscription. */
export class StripePayments {
  readonly #client: Stripe;
  readonly #record: RecordStripeSubscription | undefined;

  /** Without `record`, subscriptions aren't ours. */
  constructor(client: Stripe, record: RecordStripeSubscription | undefined) {
    [this.#client, this.#record] = [client, record];
  }

  /**
   * Returns a payment: Stripe's payment intent, or the invoice of a period that cost nothing. Those that no order of
   * ours was paid with have no `orderId`.
   */
  async find(id: string): Promise<ProviderPayment | undefined> {
    if (id.startsWith("in_")) return this.#ofSubscription(await this.#paidBy(id), (one) => one.paymentId === id);
    const [paid, sessions] = await Promise.all([
      found(this.#client.paymentIntents.retrieve(id), paymentIntent),
      found(this.#client.checkout.sessions.list({ payment_intent: id, limit: 1 }), stripeList(stripeSession)),
    ]);
    if (!paid) return undefined;
    const session = sessions?.data.find(({ client_reference_id }) => client_reference_id !== null);
    if (session) return toPayment(paid, session.id);
    return (await this.#ofSubscription(await this.#paidBy(id), (one) => one.paymentId === id)) ?? toPayment(paid, null);
  }

  /** Returns the payment of a Checkout Session, if there is one. */
  async ofSession(session: Infer<typeof stripeSession> | undefined): Promise<ProviderPayment | undefined> {
    if (session?.payment_intent) return this.find(session.payment_intent);
    return this.#ofSubscription(session?.subscription ?? undefined, ({ isFirst }) => isFirst);
  }

  /** Returns the latest payment of a subscription, or that of an invoice, if it is paid. */
  async ofSubscription(id: string): Promise<ProviderPayment | undefined> {
    return this.#ofSubscription(id.startsWith("in_") ? await this.#paidBy(id) : id);
  }

  #paidBy(id: string): Promise<string | undefined> {
    return this.#record ? subscriptionPaidBy(this.#client, id) : Promise.resolve(undefined);
  }

  async #ofSubscription(
    id: string | undefined,
    is?: (period: StripePeriod) => boolean,
  ): Promise<ProviderPayment | undefined> {
    const shown = id && this.#record ? await findSubscription(this.#client, id) : undefined;
    return shown && paymentOf(shown, this.#record!, is);
  }
}

const toPayment = (paid: Infer<typeof paymentIntent>, orderId: string | null): ProviderPayment => ({
  id: paid.id,
  orderId,
  amount: fromStripe(paid.amount_received, paid.currency),
  currency: paid.currency.toUpperCase(),
  captured: paid.status === "succeeded",
});
