import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { empty, listOf } from "#shared/contracts/fields.ts";
import { order, restoredPurchase } from "#shared/contracts/views.ts";
import { receiveAppleNotice } from "#shared/domain/money/stores/apple/receive-apple-notice.ts";
import { verifyApplePurchase } from "#shared/domain/money/stores/apple/verify-apple.ts";
import { restoredMax, restorePurchases } from "#shared/domain/money/stores/restore-purchases.ts";
import { exampleWith } from "../../../docs/example-of.ts";
import { jsonReader, readBytes } from "../../../http/read-body.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { appleNoticeBody, applePurchaseBody, proofsOf, restoreBody } from "./stores.schemas.ts";

const route = routeOf("Payments", "user");
const notice = routeOf("Payments", "anyone");

/** Listed before the webhooks of other providers, whose path has the provider as a parameter. */
export const storesRoutes = (): Route[] => [
  route({
    id: "verifyApplePurchase",
    method: "post",
    path: "/payments/apple",
    summary: "Deliver a purchase at Apple",
    description:
      "Send what StoreKit signed of a purchase, with your user ID as its `appAccountToken`, and finish the transaction after this call has succeeded. It becomes an order, which is fulfilled exactly once, even if Apple's notice arrives as well; repeating the call returns the order as it is. A purchase that names no user belongs to the first who sends it. The error is `CONFLICT` if it belongs to another account, `NOT_FOUND` if the product isn't for sale, `ORDER_NOT_PAYABLE` if it was refunded before it was delivered, and `PAYMENT_SIGNATURE_INVALID` for another app or environment.",
    extension: true,
    rateLimit: { points: 30, seconds: 60, by: "user" },
    idempotent: true,
    body: applePurchaseBody,
    response: exampleWith(order, {
      status: "paid",
      provider: "apple",
      provider_order_id: "2000000123456789",
      paid_at: exampleTime(exampleIds.coinOrder, 75),
    }),
    errors: ["NOT_FOUND", "PAYMENT_SIGNATURE_INVALID", "ORDER_NOT_PAYABLE", "CONFLICT"],
    handler: ({ caller, body, idempotency }) => verifyApplePurchase(caller, body.signed_transaction, idempotency),
  }),
  route({
    id: "restorePurchases",
    method: "post",
    path: "/payments/restore",
    summary: "Restore purchases",
    description: `Send what the store returns of the user's purchases, such as on a new phone: at most ${restoredMax} at once, and 512 KB; send more in several calls, the newest first. Each is treated as by the call for one purchase. The response has one result for each, in their order: its order, or the code of the error.`,
    extension: true,
    rateLimit: { points: 10, seconds: 60, by: "user" },
    // Apple's receipts have about 5 KB each.
    readBody: jsonReader("512kb"),
    body: restoreBody,
    response: listOf(restoredPurchase).meta({ name: "RestoredPurchaseList" }),
    errors: ["NOT_FOUND"],
    handler: ({ caller, body }) => restorePurchases(caller, body.store, proofsOf(body)),
  }),
  notice({
    id: "receiveAppleStoreNotice",
    method: "post",
    path: "/payments/webhook/apple",
    summary: "Receive an Apple notice",
    description:
      "For Apple, not for clients: enter its URL in App Store Connect for notifications of version 2. Purchases are credited even if the app never came back, refunds are taken back, reversed refunds given back, and subscriptions renewed, extended, and ended. Notices are verified by Apple's certificates. They may come in any order and more than once; unknown kinds are recorded.",
    extension: true,
    rateLimit: { points: 60, seconds: 60, by: "ip", only: "PAYMENT_SIGNATURE_INVALID" },
    inMaintenance: true,
    rawBody: { read: readBytes, schema: appleNoticeBody },
    response: empty,
    errors: ["NOT_FOUND", "PAYMENT_SIGNATURE_INVALID", "ENGINE_UNAVAILABLE"],
    handler: ({ body }) => receiveAppleNotice(body),
  }),
];
