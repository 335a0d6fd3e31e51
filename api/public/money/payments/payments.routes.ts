import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { listOf, pageOf } from "#shared/contracts/fields.ts";
import { coinPackage, couponGift, order, orderToPay, receipt } from "#shared/contracts/views.ts";
import { redeemCoupon } from "#shared/domain/money/offers/coupons.ts";
import { openOrdersMax, orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { accessOrder } from "#shared/domain/money/payments/payments.policy.ts";
import { listCoinPackages, listOrders } from "#shared/domain/money/payments/payments.queries.ts";
import { accessReceipt } from "#shared/domain/money/payments/receipts.queries.ts";
import { verifyPayment } from "#shared/domain/money/payments/verify-payment.ts";
import { exampleWith } from "../../../docs/example-of.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { googleNoticeRoute, googlePurchaseRoute } from "./google-play.ts";
import {
  couponParams,
  createOrderBody,
  orderParams,
  ordersQuery,
  platformQuery,
  proofOf,
  verifyPaymentBody,
} from "./payments.schemas.ts";
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
      "Returns the packages on sale with their prices in money, each with the best `offer` that is open to you, if there is one. With `platform`, also the product that an app there buys at its store, for `store_product_id`; offers then change only the coins.",
    query: platformQuery,
    response: listOf(coinPackage).meta({ name: "CoinPackageList" }),
    handler: ({ caller, query }) => listCoinPackages(caller.userId, query.platform),
  }),
  route({
    ...payment,
    id: "createCoinOrder",
    path: "/payments/orders",
    blocks: "none",
    summary: "Order coins",
    description: `Creates an order for a coin package at its current price, with the best offer that is open to you, and opens it at the payment provider. Pay it with \`providerPayload\`, then call \`POST /payments/verify\`. The order expires after 30 minutes, but a later payment is still accepted. At most ${openOrdersMax} of your orders can wait for their payment: \`RATE_LIMITED\` beyond that, until one is paid or expires. If the provider doesn't respond, the error is \`ENGINE_UNAVAILABLE\`: repeat the call with the same \`Idempotency-Key\` to continue with the same order. With \`offer_id\`, it fails with \`CONFLICT\` if that offer is no longer available. If the order fails or expires, its offer is free for another one; a later payment gets it only if it is still free.`,
    body: createOrderBody,
    response: orderToPay,
    status: 201,
    errors: ["NOT_FOUND", "CONFLICT", "ORDER_NOT_PAYABLE", "PURCHASE_LIMITED", "RATE_LIMITED"],
    handler: ({ caller, body, idempotency }) => orderCoins(caller, body.package_id, idempotency, body.offer_id),
  }),
  route({
    id: "listOrders",
    method: "get",
    path: "/payments/orders",
    summary: "List orders",
    description: "Your orders and what stores sold you, newest first.",
    extension: true,
    query: ordersQuery,
    response: pageOf(order),
    handler: ({ caller, query }) => listOrders(caller.userId, query),
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
    id: "getReceipt",
    method: "get",
    path: "/payments/orders/:id/receipt",
    blocks: "none",
    summary: "Get a receipt",
    description:
      "Returns the receipt of one of your paid orders, with the notes of its refunds, which add up to what is paid. `page_url` opens each as a page, without a login, for an hour; call again for a new link.",
    extension: true,
    params: orderParams,
    response: receipt,
    handler: ({ caller, params }) => accessReceipt(caller, params.id),
  }),
  route({
    ...payment,
    id: "verifyPayment",
    path: "/payments/verify",
    summary: "Verify a payment",
    description:
      "Send the values that the provider's checkout returned: three, or only the session's ID from Stripe, which signs nothing. A signature is checked and the payment is confirmed with the provider, then the order is fulfilled exactly once, even if the provider's webhook arrives as well. Repeating the call returns the order as it is. The error is `NOT_FOUND` if the order isn't yours, `ORDER_NOT_PAYABLE` if the provider hasn't captured the payment, and `CONFLICT` if the payment is for another order, amount, or currency.",
    body: verifyPaymentBody,
    response: exampleWith(order, { status: "paid", paid_at: exampleTime(exampleIds.coinOrder, 75) }),
    errors: ["NOT_FOUND", "PAYMENT_SIGNATURE_INVALID", "ORDER_NOT_PAYABLE", "CONFLICT"],
    handler: ({ caller, body, idempotency }) => verifyPayment(caller, proofOf(body), idempotency),
  }),
  route({
    id: "redeemCoupon",
    method: "post",
    path: "/payments/coupons/:code",
    blocks: "none",
    summary: "Redeem a coupon",
    description:
      "Opens the offer of a coupon to you, and says what it gives. `GET /coin-packages` shows it from then on, and orders use it. Repeating the call changes nothing. At most 10 calls an hour.",
    extension: true,
    rateLimit: { points: 10, seconds: 3600, by: "user" },
    params: couponParams,
    response: couponGift,
    errors: ["NOT_FOUND"],
    handler: ({ caller, params }) => redeemCoupon(caller, params.code),
  }),
  googlePurchaseRoute,
  googleNoticeRoute,
  webhookRoute,
];
