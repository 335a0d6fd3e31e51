import type { Topic } from "./domain-events.ts";
import type { EventKind } from "./event-kinds.ts";
import { exampleIds } from "./examples.ts";
import { id, oneOf } from "./fields.ts";
import * as views from "./views.ts";

const byUser = { version: 1, key: "user_id" } as const;
const order = {
  version: 1,
  key: "user_id",
  fields: { order_id: id(exampleIds.coinOrder), user_id: id(), kind: oneOf(...views.orderKinds) },
} as const;
const dispute = {
  ...order,
  fields: {
    ...order.fields,
    provider: oneOf(...views.providerNames).example("stripe"),
    provider_refund_id: views.providerId("dp_1MtJUT2eZvKYlo2C"),
    amount: views.money(),
    currency: views.currency(),
  },
} as const;
const sellerMove = { version: 1, key: "recipient_id", fields: views.sellerMoveFields } as const;

type MoneyTopic =
  | `order.${string}`
  | `dispute.${string}`
  | `subscription.${string}`
  | `payout.${string}`
  | `seller.${string}`
  | `kyc.${string}`;

/** The events of orders, subscriptions, payouts, and coin sellers, as the operator's servers receive them. */
export const moneyEventKinds: { readonly [T in Extract<Topic, MoneyTopic>]: EventKind<T> } = {
  "order.paid": { ...order, summary: "An order was paid" },
  "order.refunded": { ...order, summary: "An order was refunded in full" },
  "kyc.decided": { ...byUser, summary: "The identity check of a user was decided", fields: views.kycDecidedFields },
  "payout.updated": {
    ...byUser,
    summary: "A payout was requested, or its state changed",
    fields: { payout_id: id(exampleIds.payout), user_id: id(), status: oneOf(...views.payoutStatuses) },
  },
  "seller.transferred": { ...sellerMove, summary: "A coin seller passed coins on" },
  "seller.reversed": {
    ...sellerMove,
    summary: "An administrator took back coins of a seller",
    fields: { ...views.sellerMoveFields, reversal_id: id() },
  },
  "seller.refunded": {
    ...sellerMove,
    summary: "A refund of a seller's stock took back coins that they had passed on",
    fields: { ...views.sellerMoveFields, refund_id: id() },
  },
  "order.restored": { ...order, summary: "The refund of an order was reversed" },
  "dispute.opened": { ...dispute, summary: "The payer of an order disputed the payment" },
  "dispute.won": { ...dispute, summary: "A dispute was won, and what it took given back" },
  "dispute.lost": { ...dispute, summary: "A dispute was lost" },
  "subscription.updated": {
    ...byUser,
    summary: "A subscription began, was renewed, or changed its state",
    fields: {
      subscription_id: id(exampleIds.subscription),
      user_id: id(),
      status: oneOf(...views.subscriptionStatuses),
    },
  },
};
