import type Joi from "joi";
import { extend, type Infer, listOf, object } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import { type HistoryEntry, type ProviderHistory, secondsOf } from "./provider.ts";
import { type RazorpayClient, RazorpayError } from "./razorpay-client.ts";
import {
  type RazorpayPayment,
  razorpayDispute,
  razorpayPayment,
  razorpayRefund,
  standOf,
  toPayment,
} from "./razorpay-payment.ts";

const refundInBooks = extend(razorpayRefund, {
  payment_id: providerId(),
  currency: razorpayPayment.extract("currency"),
});
const disputeInBooks = extend(razorpayDispute, {
  payment_id: providerId(),
  currency: razorpayPayment.extract("currency"),
});
const isDispute = (id: string): boolean => id.startsWith("disp_");
const most = 100;

/** Razorpay's books: payments, refunds, and disputes. */
export const razorpayHistory = (client: RazorpayClient): ProviderHistory => {
  async function* pagesOf<Item>(path: string, day: string, item: Joi.ObjectSchema<Item>) {
    const { from, to } = secondsOf(day);
    for (let skip = 0, full = true; full; skip += most) {
      // `to` is inclusive.
      const query = `from=${from}&to=${to - 1}&count=${most}&skip=${skip}`;
      const { items } = await client.get(`${path}?${query}`, object({ items: listOf(item) }));
      yield items as Item[];
      full = items.length === most;
    }
  }
  return {
    async *historyOf(day) {
      for await (const payments of pagesOf("/payments", day, razorpayPayment)) yield payments.map(paymentEntry);
      for await (const refunds of pagesOf("/refunds", day, refundInBooks)) yield refunds.map(refundEntry);
      for await (const disputes of pagesOf("/disputes", day, disputeInBooks)) yield disputes.map(disputeEntry);
    },
    entryOf: async ({ kind, id, paymentId }) => {
      try {
        if (kind === "payment") return paymentEntry(await client.get(`/payments/${id}`, razorpayPayment));
        if (isDispute(id)) return disputeEntry(await client.get(`/disputes/${id}`, disputeInBooks));
        return refundEntry(await client.get(`/payments/${paymentId}/refunds/${id}`, refundInBooks));
      } catch (error) {
        // "The id provided does not exist" is a 400 there.
        if (error instanceof RazorpayError && (error.status === 400 || error.status === 404)) return undefined;
        throw error;
      }
    },
  };
};

function paymentEntry(one: RazorpayPayment): HistoryEntry {
  const { id, orderId, amount, currency, captured } = toPayment(one);
  const providerOrderId = orderId;
  return { kind: "payment", id, paymentId: id, providerOrderId, orderId: null, amount, currency, stands: captured };
}

const refundEntry = ({ id, payment_id, amount, currency, status }: Infer<typeof refundInBooks>): HistoryEntry => ({
  kind: "refund",
  id,
  paymentId: payment_id,
  providerOrderId: null,
  orderId: null,
  amount,
  currency,
  stands: status === "processed",
});

function disputeEntry(one: Infer<typeof disputeInBooks>): HistoryEntry {
  const dispute = standOf(one);
  return {
    kind: "refund",
    id: one.id,
    paymentId: one.payment_id,
    providerOrderId: null,
    orderId: null,
    amount: one.amount,
    currency: one.currency,
    stands: dispute !== undefined,
    ...(dispute && { dispute }),
  };
}
