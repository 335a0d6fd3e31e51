import Joi from "joi";
import Stripe from "stripe";
import { type Infer, nullable, object, optional } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { signatureInvalid } from "../payments.errors.ts";
import type { EventEffect, ProviderEvent } from "./provider.ts";
import { found } from "./stripe-client.ts";
import type { StripePayments } from "./stripe-payment.ts";
import { effectsOf, stripeSession } from "./stripe-records.ts";

const sessionEvents = ["completed", "async_payment_succeeded", "async_payment_failed", "expired"];
const moneyEvents = [
  ...["charge.refunded", "charge.refund.updated", "refund.created", "refund.updated", "refund.failed"],
  ...["created", "updated", "closed", "funds_withdrawn", "funds_reinstated"].map((what) => `charge.dispute.${what}`),
];
const subscriptionEvents = [
  ...["paid", "payment_failed"].map((what) => `invoice.${what}`),
  ...["updated", "deleted", "paused", "resumed"].map((what) => `customer.subscription.${what}`),
];
const handled = new Set([
  ...sessionEvents.map((what) => `checkout.session.${what}`),
  ...moneyEvents,
  ...subscriptionEvents,
]);

/** What is read of an event: only what it is about. Everything else is asked of the API. */
const stripeEvent = object({
  id: providerId(),
  type: Joi.string().max(100),
  /** Of a connected account, which is not ours. */
  account: optional(nullable(Joi.string())),
  data: object({
    object: object({ id: providerId(), object: Joi.string(), payment_intent: optional(nullable(providerId())) }),
  }),
});
type StripeEvent = Infer<typeof stripeEvent>;

/**
 * Reads a webhook. Its contents are not believed, only whom it is about: what has become of the payment is read from
 * the API, so that events may come late, repeated, and in any order.
 * @throws PAYMENT_SIGNATURE_INVALID when none of the secrets has signed it within the last five minutes,
 *   MALFORMED_JSON, ENGINE_UNAVAILABLE
 */
export async function readStripeEvent(
  client: Stripe,
  payments: StripePayments,
  secrets: readonly string[],
  body: Buffer,
  signature: string | undefined,
): Promise<ProviderEvent> {
  const raw = verified(secrets, body, signature);
  const { error, value } = stripeEvent.validate(raw, { convert: false, stripUnknown: true });
  if (error) return { id: undefined, type: "unnamed", effect: { kind: "none", why: "malformed" }, summary: {} };
  const event = value as StripeEvent;
  const effect = await effectOf(client, payments, event);
  const { id, payment_intent = null } = event.data.object;
  return { id: event.id, type: event.type, effect, summary: { object: { id, payment_intent }, ...paymentIn(effect) } };
}

function paymentIn(effect: EventEffect): object {
  if (effect.kind === "failed") return { payment: { order_id: effect.providerOrderId } };
  if (effect.kind !== "all") return {};
  const { id, orderId, amount, currency, captured } = effect.payment;
  return { payment: { id, order_id: orderId, amount, currency, captured } };
}

function verified(secrets: readonly string[], body: Buffer, signature: string | undefined): unknown {
  if (signature === undefined) throw signatureInvalid();
  for (const secret of secrets) {
    try {
      return Stripe.webhooks.constructEvent(body, signature, secret);
    } catch (error) {
      // It reads the JSON of what is signed.
      if (error instanceof SyntaxError) throw new DomainError("MALFORMED_JSON");
    }
  }
  throw signatureInvalid();
}

async function effectOf(
  client: Stripe,
  payments: StripePayments,
  { type, account, data }: StripeEvent,
): Promise<EventEffect> {
  const ignored = { kind: "none", why: "ignored" } as const;
  if (!handled.has(type) || account) return ignored;
  const { id, object: kind, payment_intent } = data.object;
  const ofSession = kind === "checkout.session";
  const session = ofSession ? await found(client.checkout.sessions.retrieve(id), stripeSession) : undefined;
  const payment = ofSession
    ? await payments.ofSession(session)
    : subscriptionEvents.includes(type)
      ? await payments.ofSubscription(id)
      : payment_intent
        ? await payments.find(payment_intent)
        : undefined;
  if (payment?.captured && payment.orderId !== null)
    return { kind: "all", payment, effects: await effectsOf(client, payment) };
  const isOver = type === "checkout.session.async_payment_failed" || session?.status === "expired";
  return session && isOver ? { kind: "failed", providerOrderId: session.id } : ignored;
}
