import Joi from "joi";
import type Stripe from "stripe";
import { extend, type Infer, nullable, object, optional } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { type HistoryEntry, type ProviderHistory, secondsOf } from "./provider.ts";
import { asked, found, orUnavailable } from "./stripe-client.ts";
import { fromStripe } from "./stripe-money.ts";
import type { StripePayments } from "./stripe-payment.ts";
import { hasTaken, standOf, stripeDispute, stripeList, stripeRefund } from "./stripe-records.ts";

const charge = object({
  id: providerId(),
  payment_intent: nullable(providerId()),
  amount_captured: Joi.number().integer().min(0),
  currency: Joi.string(),
  status: Joi.string(),
  metadata: optional(nullable(Joi.object<Record<string, string>>())),
});
const pageOf = <Item extends Joi.ObjectSchema>(item: Item) =>
  extend(stripeList(item), { has_more: Joi.boolean() as Joi.Schema<boolean> });

type List = (asked: {
  created: { gte: number; lt: number };
  limit: number;
  starting_after?: string;
}) => Promise<unknown>;

/** Returns all items of a day, page by page. */
async function* pagesOf<Item extends { id: string }>(day: string, list: List, item: Joi.ObjectSchema<Item>) {
  const { from: gte, to: lt } = secondsOf(day);
  for (let after: { starting_after?: string } | undefined = {}; after; ) {
    const request = list({ created: { gte, lt }, limit: 100, ...after });
    const page: { data: Item[]; has_more: boolean } = await orUnavailable(() => asked(request, pageOf(item)));
    yield page.data;
    const last = page.data.at(-1);
    after = page.has_more && last ? { starting_after: last.id } : undefined;
  }
}

/** Stripe's books: charges that succeeded, refunds, and disputes. */
export const stripeHistory = (client: Stripe, payments: StripePayments): ProviderHistory => ({
  async *historyOf(day) {
    for await (const charges of pagesOf(day, (params) => client.charges.list(params), charge))
      yield charges.filter(({ status, payment_intent }) => status === "succeeded" && payment_intent).map(paymentEntry);
    for await (const refunds of pagesOf(day, (params) => client.refunds.list(params), stripeRefund))
      yield refunds.map((one) => refundEntry(one, one.status === "succeeded"));
    for await (const disputes of pagesOf(day, (params) => client.disputes.list(params), stripeDispute))
      yield disputes.map(disputeEntry);
  },
  entryOf: ({ kind, id }) =>
    orUnavailable(async () => {
      if (kind === "payment") {
        const payment = await payments.find(id);
        if (!payment || payment.orderId === null) return undefined;
        const { orderId, amount, currency, captured, settle } = payment;
        const paid = { providerOrderId: orderId, orderId: null, amount, currency, stands: captured };
        return { kind, id, paymentId: id, ...paid, ...(settle && { settle: () => inTransaction(settle) }) };
      }
      const refund = id.startsWith("re_") || id.startsWith("pyr_");
      if (!refund) {
        const one = await found(client.disputes.retrieve(id), stripeDispute);
        return one && disputeEntry(one);
      }
      const one = await found(client.refunds.retrieve(id), stripeRefund);
      return one && refundEntry(one, one.status === "succeeded");
    }),
});

const paymentEntry = (one: Infer<typeof charge>): HistoryEntry => ({
  kind: "payment",
  id: one.payment_intent!,
  paymentId: one.payment_intent!,
  providerOrderId: null,
  orderId: one.metadata?.order_id ?? null,
  amount: fromStripe(one.amount_captured, one.currency),
  currency: one.currency.toUpperCase(),
  stands: true,
});

const refundEntry = (
  one: { id: string; payment_intent: string | null; amount: number; currency: string },
  stands: boolean,
): HistoryEntry => ({
  kind: "refund",
  id: one.id,
  paymentId: one.payment_intent ?? "",
  providerOrderId: null,
  orderId: null,
  amount: fromStripe(one.amount, one.currency),
  currency: one.currency.toUpperCase(),
  stands,
});

const disputeEntry = (one: Infer<typeof stripeDispute>): HistoryEntry => ({
  ...refundEntry(one, hasTaken(one)),
  dispute: standOf(one),
});
