import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  anyObject,
  coins,
  date,
  flag,
  type Infer,
  id,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
} from "../fields.ts";
import { money, providerId } from "./payment-views.ts";
import { receiptNote } from "./receipt-views.ts";
import { subscriptionStatuses } from "./subscription-views.ts";

export const findingKinds = ["missing_here", "missing_there", "amount", "state"] as const;
/** What was bought is taken when a dispute takes the money, and given back when it is won. */
export const disputeStates = ["open", "won", "lost"] as const;
export const findingStatuses = ["open", "settled", "closed"] as const;

const paymentExample = "pay_sbx5f0c2b9e4d7a41f8a6b3c2d1e0f9a8b7";

export const refundRequest = object({
  id: id(exampleIds.coinOrder),
  payment_id: id(exampleIds.coinOrder),
  amount: money(),
  status: oneOf("pending", "succeeded", "failed").description(
    "`pending`: the provider hasn't confirmed it. It is asked again until it does.",
  ),
  failure: nullable(text(1, 300, "The payment can't be refunded."))
    .description("What the provider said.")
    .example(null),
  reason: text(1, 200, "Bought by mistake"),
  requested_by: id(exampleIds.admin),
  created_at: time(exampleTime(exampleIds.coinOrder, 86_400)),
}).meta({ name: "RefundRequest" });

/** What is recorded of an order beside the order: what its provider has said, and what was done about it. */
export const orderRecords = {
  payments: listOf(
    object({
      id: id(exampleIds.coinOrder),
      provider_payment_id: providerId(paymentExample),
      amount: money(),
      settles: flag().description("False: another payment had paid the order, so that this one must be refunded."),
      refunded_amount: integer(0, 1_000_000_000_000, 0),
      created_at: time(exampleTime(exampleIds.coinOrder, 75)),
      refunds: listOf(
        object({
          id: id(exampleIds.coinOrder),
          provider_refund_id: providerId("rfnd_sbx5f0c2b9e4d7a41f8a6b3c2d1e0f9a8b7"),
          amount: money(),
          coins: coins(600).description("Coins taken back, including `debt_coins`."),
          debt_coins: coins(0).description("Coins that the wallet no longer held."),
          dispute: nullable(oneOf(...disputeStates))
            .description("How the dispute stands that took the money; null for a refund.")
            .example(null),
          created_at: time(exampleTime(exampleIds.coinOrder, 86_460)),
          reversed_at: nullable(time(exampleTime(exampleIds.coinOrder, 172_800)))
            .description("When it was given back: the refund failed after all, or the dispute was won.")
            .example(null),
        }).meta({ name: "PaymentRefund" }),
      ),
    }).meta({ name: "OrderPayment" }),
  ),
  receipts: listOf(receiptNote).description("The order's receipt, and its notes: they add up to what is paid."),
  refund_requests: listOf(refundRequest),
  events: listOf(
    object({
      id: id(exampleIds.coinOrder),
      event_id: Joi.string().example("evt_5f0c2b9e"),
      type: Joi.string().example("payment.captured"),
      outcome: Joi.string().example("paid").description("What it changed."),
      summary: anyObject()
        .description("What the provider said, without personal data.")
        .example({ payment: { id: paymentExample, status: "captured" } }),
      created_at: time(exampleTime(exampleIds.coinOrder, 76)),
    }).meta({ name: "PaymentEvent" }),
  ).description("The newest 100 webhooks about the order."),
  subscription: nullable(
    object({
      id: id(exampleIds.subscription),
      provider_subscription_id: providerId("sub_1MowQVLkdIwHu7ix"),
      status: oneOf(...subscriptionStatuses),
      auto_renew: flag(),
      current_period_ends_at: time(exampleTime(exampleIds.subscription, 2_592_000)),
    }).meta({ name: "OrderSubscription" }),
  )
    .description("The subscription that the order is a period of.")
    .example(null),
  findings: listOf(
    object({
      id: id(exampleIds.coinOrder),
      day: date("2026-01-31"),
      kind: oneOf(...findingKinds),
      subject: oneOf("payment", "refund"),
      provider_id: providerId(paymentExample),
      amount_here: nullable(integer(0, 1_000_000_000_000, 49_900)),
      amount_there: nullable(integer(0, 1_000_000_000_000, 49_900)),
      status: oneOf(...findingStatuses),
      created_at: time(exampleTime(exampleIds.coinOrder, 86_400)),
    }).meta({ name: "OrderFinding" }),
  ).description("Where reconciliations found that the provider's books differ."),
};
const records = object(orderRecords);
export type OrderRecords = Infer<typeof records>;
