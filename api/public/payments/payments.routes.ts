import { listOf } from "#shared/contracts/fields.ts";
import { coinPackage, order, orderToPay } from "#shared/contracts/views.ts";
import { orderCoins } from "#shared/domain/payments/create-order.ts";
import { accessOrder } from "#shared/domain/payments/payments.policy.ts";
import { listCoinPackages } from "#shared/domain/payments/payments.queries.ts";
import { verifyPayment } from "#shared/domain/payments/verify-payment.ts";
import { type Route, route } from "../../http/route.ts";
import {
  type OrderBody,
  type OrderParams,
  orderBody,
  orderParams,
  proofOf,
  type VerifyBody,
  verifyBody,
} from "./payments.schemas.ts";
import { webhookRoute } from "./webhook.ts";

export const paymentsRoutes = (): Route[] => [
  route({
    method: "get",
    path: "/coin-packages",
    tag: "Payments",
    summary: "Packages of coins on sale",
    auth: "user",
    response: listOf(coinPackage),
    handler: () => listCoinPackages(),
  }),
  route<object, object, OrderBody>({
    method: "post",
    path: "/payments/orders",
    tag: "Payments",
    summary: "Order a package of coins, to be paid at the provider",
    description:
      "Price and coins are those of this moment. The order waits 30 minutes for its money; money that comes later still counts. ENGINE_UNAVAILABLE when the provider does not answer: the same call with the same `Idempotency-Key` goes on with the same order.",
    auth: "user",
    rateLimit: { points: 30, seconds: 60, by: "user" },
    idempotent: true,
    body: orderBody,
    response: orderToPay,
    status: 201,
    errors: ["NOT_FOUND", "ORDER_NOT_PAYABLE"],
    handler: ({ caller, body, idempotency }) => orderCoins(caller, body.package_id, idempotency),
  }),
  route<OrderParams>({
    method: "get",
    path: "/payments/orders/:id",
    tag: "Payments",
    summary: "One of your orders",
    auth: "user",
    params: orderParams,
    response: order,
    handler: ({ caller, params }) => accessOrder(caller, params.id),
  }),
  route<object, object, VerifyBody>({
    method: "post",
    path: "/payments/verify",
    tag: "Payments",
    summary: "Bring back what the provider gave you, and get what you paid for",
    description:
      "The signature is checked, then what was paid is asked of the provider. Coins come once, whether this or the provider's webhook comes first; calling again answers the order as it is. NOT_FOUND when the order is not yours, ORDER_NOT_PAYABLE when the provider has not taken the money, CONFLICT when the payment is of another order, amount or currency.",
    auth: "user",
    rateLimit: { points: 30, seconds: 60, by: "user" },
    idempotent: true,
    body: verifyBody,
    response: order,
    errors: ["NOT_FOUND", "PAYMENT_SIGNATURE_INVALID", "ORDER_NOT_PAYABLE", "CONFLICT"],
    handler: ({ caller, body, idempotency }) => verifyPayment(caller, proofOf(body), idempotency),
  }),
  webhookRoute,
];
