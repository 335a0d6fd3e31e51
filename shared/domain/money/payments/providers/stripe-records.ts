import Joi from "joi";
import type Stripe from "stripe";
import { listOf, nullable, object, optional } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import type { EventEffect, ProviderPayment, ProviderRefund } from "./provider.ts";
import { asked } from "./stripe-client.ts";
import { fromStripe } from "./stripe-money.ts";

/** The fields that are used here; https://docs.stripe.com/api */
export const stripeSession = object({
  id: providerId(),
  client_reference_id: nullable(Joi.string()),
  payment_intent: nullable(providerId()),
  subscription: nullable(providerId()),
  payment_status: Joi.string(),
  status: nullable(Joi.string()),
  url: nullable(Joi.string()),
});
export const paymentIntent = object({
  id: providerId(),
  amount_received: Joi.number().integer().min(0),
  currency: Joi.string(),
  status: Joi.string(),
});
export const stripeRefund = object({
  id: providerId(),
  amount: Joi.number().integer().min(1),
  currency: Joi.string(),
  status: nullable(Joi.string()),
  payment_intent: nullable(providerId()),
  metadata: optional(nullable(Joi.object<Record<string, string>>())),
});
export const stripeDispute = object({
  id: providerId(),
  amount: Joi.number().integer().min(1),
  currency: Joi.string(),
  status: Joi.string(),
  payment_intent: nullable(providerId()),
});
export const stripeList = <Item extends Joi.ObjectSchema>(item: Item) => object({ data: listOf(item) });

/** Whether a dispute has taken the money: an inquiry (`warning_…`) hasn't yet, and a won one has given it back. */
export const hasTaken = (status: string): boolean => status !== "won" && !status.startsWith("warning_");
export const hasFailed = (status: string | null): boolean => status === "failed" || status === "canceled";

const toRefund = ({ id, amount, currency }: { id: string; amount: number; currency: string }): ProviderRefund => ({
  id,
  amount: fromStripe(amount, currency),
});

/**
 * Returns all that Stripe's books say of a captured payment now, as effects: what was paid, refunded, and disputed.
 * Each is applied once, so that late, repeated, and reordered events come to the same.
 */
export async function effectsOf(client: Stripe, payment: ProviderPayment): Promise<EventEffect[]> {
  const of = { payment_intent: payment.id, limit: 100 };
  const [refunds, disputes] = await Promise.all([
    asked(client.refunds.list(of), stripeList(stripeRefund)),
    asked(client.disputes.list(of), stripeList(stripeDispute)),
  ]);
  const taken = [
    ...refunds.data.filter(({ status }) => status === "succeeded"),
    ...disputes.data.filter(({ status }) => hasTaken(status)),
  ];
  const returned = [
    ...refunds.data.filter(({ status }) => hasFailed(status)),
    ...disputes.data.filter(({ status }) => status === "won"),
  ];
  return [
    { kind: "captured", payment },
    ...taken.map((one) => ({ kind: "refunded" as const, payment, refund: toRefund(one) })),
    ...returned.map(({ id }) => ({ kind: "reversed" as const, payment, refundId: id })),
  ];
}
