import type Stripe from "stripe";
import type { Infer } from "#shared/contracts/fields.ts";
import { logger } from "#shared/kernel/logger.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";
import {
  headerOf,
  type OrderToOpen,
  type PaymentProvider,
  providerRefused,
  providerUnavailable,
  type RefundAnswer,
  type RefundToMake,
} from "./provider.ts";
import { asked, found, isRejected, makeStripeClient, orUnavailable, type StripeCredentials } from "./stripe-client.ts";
import { readStripeEvent } from "./stripe-event.ts";
import { stripeHistory } from "./stripe-history.ts";
import { fromStripe, stripeLimitsIn, toStripe } from "./stripe-money.ts";
import { StripePayments } from "./stripe-payment.ts";
import { hasFailed, stripeList, stripeRefund, stripeSession } from "./stripe-records.ts";
import { endSubscription, type RecordStripeSubscription } from "./stripe-subscription.ts";

/** Timeout of one response of Stripe, while a user waits to pay. */
const usualTimeoutMs = 8000;

/**
 * Stripe Checkout: an order is a Checkout Session, a payment is its payment intent. Nothing that clients or webhooks
 * say is believed: what was paid is read from the API. Subscriptions are recorded by `record`; without it, nothing
 * renews.
 */
export function makeStripe(
  credentials: StripeCredentials,
  timeoutMs = usualTimeoutMs,
  record?: RecordStripeSubscription,
): PaymentProvider {
  const client = makeStripeClient(credentials, timeoutMs);
  const payments = new StripePayments(client, record);
  return {
    name: "stripe",
    canRenew: record !== undefined,
    limitsIn: stripeLimitsIn,
    openOrder: (order) => orUnavailable(() => openSession(client, credentials, order)),
    payloadOf: ({ providerOrderId, amount, currency, title, checkoutUrl }) => ({
      provider: "stripe",
      order_id: providerOrderId,
      amount,
      currency,
      description: title,
      checkout_url: checkoutUrl!,
    }),
    capturePayment: (paymentId) => orUnavailable(() => payments.find(paymentId)),
    capturePaymentsOf: ({ providerOrderId }) =>
      orUnavailable(async () => {
        const session = await found(client.checkout.sessions.retrieve(providerOrderId), stripeSession);
        const payment = await payments.ofSession(session);
        return payment ? [payment] : [];
      }),
    closeOrder: ({ providerOrderId }) =>
      orUnavailable(async () => {
        // Rejected for one that is paid or over.
        await asked(client.checkout.sessions.expire(providerOrderId), stripeSession).catch((error: unknown) => {
          if (!isRejected(error)) throw error;
        });
      }),
    endRenewal: (id) =>
      orUnavailable(async () => {
        await endSubscription(client, id);
        return payments.ofSubscription(id);
      }),
    refundPayment: (paymentId, refund) => orUnavailable(() => refundOnce(client, paymentId, refund)),
    parseWebhook: (body, headers) =>
      orUnavailable(() =>
        readStripeEvent(client, payments, credentials.webhookSecrets, body, headerOf(headers, "stripe-signature")),
      ),
    history: stripeHistory(client, payments),
  };
}

/**
 * A session lives for 30 minutes at least, from when Stripe gets it: one that is opened late outlives its order, which
 * closes it (`closeOrder`).
 */
async function openSession(client: Stripe, credentials: StripeCredentials, order: OrderToOpen) {
  const { successUrl = publicAddress(), cancelUrl = publicAddress() } = credentials;
  const { id, amount, currency, title, expiresAt, renewal } = order;
  const metadata = { order_id: id, ...(renewal && { user_id: renewal.userId, plan_id: renewal.planId }) };
  const request = client.checkout.sessions.create(
    {
      ...(renewal
        ? { mode: "subscription", subscription_data: { metadata } }
        : { mode: "payment", payment_intent_data: { metadata } }),
      client_reference_id: id,
      metadata,
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: currency.toLowerCase(),
            unit_amount: toStripe(amount, currency),
            // What renews is the plan that its price names, also after another price has taken its place.
            product_data: { name: title, ...(renewal && { metadata: { plan_id: renewal.planId } }) },
            ...(renewal && { recurring: { interval: "day" as const, interval_count: renewal.days } }),
          },
        },
      ],
      // What is paid is the price of the order, in its currency.
      adaptive_pricing: { enabled: false },
      success_url: withSession(successUrl),
      cancel_url: cancelUrl,
      expires_at: Math.floor(Date.parse(expiresAt) / 1000) + sessionMinutes * 60,
    },
    { idempotencyKey: id },
  );
  const session = await asked(request, stripeSession).catch((error: unknown) => {
    if (!isRejected(error)) throw error;
    logger.error({ order: id, amount, currency, code: error.code, param: error.param }, "Stripe rejected an order");
    throw providerRefused();
  });
  if (session.client_reference_id === id && session.url)
    return { providerOrderId: session.id, checkoutUrl: session.url };
  logger.error({ order: id }, "Stripe opened a different session than requested");
  throw providerUnavailable();
}

/** The least life of a session. */
const sessionMinutes = 30;

/** Stripe puts its id of the session where these braces are. */
const withSession = (url: string): string =>
  url.includes("{CHECKOUT_SESSION_ID}")
    ? url
    : `${url}${url.includes("?") ? "&" : "?"}session_id={CHECKOUT_SESSION_ID}`;

const toAnswer = ({ id, amount, currency, status }: Infer<typeof stripeRefund>): RefundAnswer => {
  if (status === "succeeded") return { status: "processed", refund: { id, amount: fromStripe(amount, currency) } };
  return hasFailed(status) ? { status: "rejected", why: "The refund failed." } : { status: "pending" };
};

/**
 * Stripe repeats its answer to a key for a day at least, also that it had failed; a refund that was made longer ago is
 * found by its metadata.
 */
async function refundOnce(client: Stripe, paymentId: string, { key, amount, currency }: RefundToMake) {
  const { data } = await asked(
    client.refunds.list({ payment_intent: paymentId, limit: 100 }),
    stripeList(stripeRefund),
  );
  const made = data.find(({ metadata }) => metadata?.refund_request === key);
  if (made) return toAnswer(made);
  try {
    const body = {
      payment_intent: paymentId,
      amount: toStripe(amount, currency),
      metadata: { refund_request: key },
    };
    return toAnswer(await asked(client.refunds.create(body, { idempotencyKey: key }), stripeRefund));
  } catch (error) {
    if (!isRejected(error)) throw error;
    return { status: "rejected", why: error.message } as const;
  }
}
