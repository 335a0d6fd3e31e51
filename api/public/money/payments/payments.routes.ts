import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { listOf } from "#shared/contracts/fields.ts";
import { coinPackage, order, orderToPay } from "#shared/contracts/views.ts";
import { openOrdersMax, orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { accessOrder } from "#shared/domain/money/payments/payments.policy.ts";
import { listCoinPackages } from "#shared/domain/money/payments/payments.queries.ts";
import { verifyPayment } from "#shared/domain/money/payments/verify-payment.ts";
import { exampleWith } from "../../../docs/example-of.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { createOrderBody, orderParams, platformQuery, proofOf, verifyPaymentBody } from "./payments.schemas.ts";
import { webhookRoute } from "./webhook.ts";

const route = routeOf("Payments", "user");
const payment = {
  method: "post",
  rateLimit: { points: 30, seconds: 60, by: "user" },
  idempotent: true,
} as const;

export const paymentsRoutes = (): Route[] => [
  route({
    id: "listCoinPackages",
    method: "get",
    path: "/coin-packages",
    summary: "List coin packages",
    description:
      "Returns the packages on sale with their prices in money. With `platform`, also the product that an app there buys at its store, for `store_product_id`.",
    query: platformQuery,
    response: listOf(coinPackage).meta({ name: "CoinPackageList" }),
    handler: ({ query }) => listCoinPackages(query.platform),
  }),
  route({
    ...payment,
    id: "createCoinOrder",
    path: "/payments/orders",
    blocks: "none",
    summary: "Order coins",
    description: `Creates an order for a coin package at its current price and opens it at the payment provider. Pay it with \`providerPayload\`, then call \`POST /payments/verify\`. The order expires after 30 minutes, but a later payment is still accepted. At most ${openOrdersMax} of your orders can wait for their payment: \`RATE_LIMITED\` beyond that, until one is paid or expires. If the provider doesn't respond, the error is \`ENGINE_UNAVAILABLE\`: repeat the call with the same \`Idempotency-Key\` to continue with the same order.`,
    body: createOrderBody,
    response: orderToPay,
    status: 201,
    errors: ["NOT_FOUND", "ORDER_NOT_PAYABLE", "RATE_LIMITED"],
    handler: ({ caller, body, idempotency }) => orderCoins(caller, body.package_id, idempotency),
  }),
  route({
    id: "getOrder",
    method: "get",
    path: "/payments/orders/:id",
    blocks: "none",
    summary: "Get an order",
    description: "Returns one of your orders, for coins or a VIP plan. Poll it while a payment is pending.",
    params: orderParams,
    response: order,
    handler: ({ caller, params }) => accessOrder(caller, params.id),
  }),
  route({
    ...payment,
    id: "verifyPayment",
    path: "/payments/verify",
    summary: "Verify a payment",
    description:
      "Send the three values that the provider's checkout returned. The signature is checked and the payment is confirmed with the provider, then the order is fulfilled exactly once, even if the provider's webhook arrives as well. Repeating the call returns the order as it is. The error is `NOT_FOUND` if the order isn't yours, `ORDER_NOT_PAYABLE` if the provider hasn't captured the payment, and `CONFLICT` if the payment is for another order, amount, or currency.",
    body: verifyPaymentBody,
    response: exampleWith(order, { status: "paid", paid_at: exampleTime(exampleIds.coinOrder, 75) }),
    errors: ["NOT_FOUND", "PAYMENT_SIGNATURE_INVALID", "ORDER_NOT_PAYABLE", "CONFLICT"],
    handler: ({ caller, body, idempotency }) => verifyPayment(caller, proofOf(body), idempotency),
  }),
  webhookRoute,
];
