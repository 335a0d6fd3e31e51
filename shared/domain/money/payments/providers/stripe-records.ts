import Joi from "joi";
import type Stripe from "stripe";
import { type Infer, listOf, nullable, object, optional } from "#shared/contracts/fields.ts";
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
  /** What was withdrawn for it, negative, and given back, in the currency of our account. */
  balance_transactions: optional(listOf(object({ amount: Joi.number().integer() }))),
});
type Dispute = Infer<typeof stripeDispute>;
export const stripeList = <Item extends Joi.ObjectSchema>(item: Item) => object({ data: listOf(item) });

/**
 * Whether a dispute has taken the money: an inquiry (`warning_…`) hasn't yet, and a won one has given it back. One that
 * was prevented was refunded instead, unless Stripe has withdrawn the money for it.
 */
export function hasTaken({ status, balance_transactions = [] }: Dispute): boolean {
  if (status === "prevented") return balance_transactions.reduce((sum, { amount }) => sum + amount, 0) < 0;
  return status !== "won" && !status.startsWith("warning_");
}
/** An appeal against a dispute that was lost may still be won. */
export const standOf = ({ status }: Dispute): "open" | "lost" =>
  status === "lost" || status === "prevented" ? "lost" : "open";
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
    ...refunds.data.filter(({ status }) => status === "succeeded").map(toRefund),
    ...disputes.data.filter(hasTaken).map((one) => ({ ...toRefund(one), dispute: standOf(one) })),
  ];
  const returned = [
    ...refunds.data.filter(({ status }) => hasFailed(status)),
    ...disputes.data.filter(({ status }) => status === "won"),
  ];
  return [
    { kind: "captured", payment },
    ...taken.map((refund) => ({ kind: "refunded" as const, payment, refund })),
    ...returned.map(({ id }) => ({ kind: "reversed" as const, payment, refundId: id })),
  ];
}
