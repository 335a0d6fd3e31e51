import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { coins, id, line, nullable, oneOf, time } from "#shared/contracts/fields.ts";
import {
  currency,
  disputeStates,
  money,
  orderKinds,
  orderStatuses,
  providerId,
  providerNames,
  receiptNumber,
} from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { OrderModel } from "./order.model.ts";

const flags = ["refunds", "daily_sum"] as const;

/** The orders of all users, as administrators list them. */
export const managedOrders: ManagedResource = {
  resource: "orders",
  name: "order",
  one: "an order",
  many: "orders",
  model: OrderModel,
  fields: {},
  defaults: {},
  shown: {
    receipt_number: nullable(receiptNumber()).description("Null: it was never paid, or before there were receipts."),
    user_id: id(exampleIds.ada),
    kind: oneOf(...orderKinds),
    status: oneOf(...orderStatuses).example("paid"),
    title: line(1, 120, "Pouch: 600 coins"),
    amount: money(),
    currency: currency(),
    coins: coins(600),
    package_id: nullable(id(exampleIds.coinPackage)),
    plan_id: nullable(id(exampleIds.vipPlan)).example(null),
    provider: oneOf(...providerNames).example("sandbox"),
    provider_order_id: nullable(providerId()),
    expires_at: time(exampleTime(exampleIds.coinOrder, 1800)),
    paid_at: nullable(time(exampleTime(exampleIds.coinOrder, 75))),
    refunded_at: nullable(time(exampleTime(exampleIds.coinOrder, 86_400))).example(null),
    flag: nullable(oneOf(...flags))
      .description("The bound of purchases that it exceeded, although its money was taken.")
      .example(null),
    dispute: nullable(oneOf(...disputeStates))
      .description("How the last dispute about its money stands.")
      .example(null),
  },
  derived: {
    receipt_number: "(SELECT number FROM receipts WHERE order_id = t.id AND kind = 'receipt')",
    dispute: `(SELECT r.dispute FROM payments p JOIN payment_refunds r ON r.payment_id = p.id
       WHERE p.order_id = t.id AND r.dispute IS NOT NULL ORDER BY r.id DESC LIMIT 1)`,
  },
  search: [],
  filters: {
    status: oneOf(...orderStatuses),
    kind: oneOf(...orderKinds),
    user_id: id(exampleIds.ada),
    provider: oneOf(...providerNames),
    provider_order_id: providerId(),
    flag: oneOf(...flags),
  },
  derivedFilters: {
    dispute: {
      schema: oneOf(...disputeStates),
      where: `t.id IN (SELECT p.order_id FROM payment_refunds r JOIN payments p ON p.id = r.payment_id WHERE r.dispute = ?)`,
    },
    receipt_number: {
      schema: receiptNumber(),
      where: "t.id = (SELECT order_id FROM receipts WHERE number = ?)",
    },
    provider_payment_id: {
      schema: providerId("pay_sbx5f0c2b9e4d7a41f8a6b3c2d1e0f9a8b7"),
      where: "t.id = (SELECT order_id FROM payments WHERE provider_payment_id = ? LIMIT 1)",
    },
  },
  hasPeriod: true,
  sorts: ["-created_at", "amount"],
  exampleId: exampleIds.coinOrder,
};
