import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { anyObject, flag, object } from "#shared/contracts/fields.ts";
import { order, purchaseToken, storeProductId } from "#shared/contracts/views.ts";
import { presentGooglePurchase } from "#shared/domain/money/stores/google/present-purchase.ts";
import { receiveGoogleNotice } from "#shared/domain/money/stores/google/receive-notice.ts";
import { exampleWith } from "../../../docs/example-of.ts";
import { readBytes } from "../../../http/read-body.ts";
import { route } from "../../../http/route.ts";

const googlePurchaseBody = object({
  product_id: storeProductId(),
  purchase_token: purchaseToken(),
}).meta({ name: "GooglePurchaseBody" });

export const googlePurchaseRoute = route({
  id: "presentGooglePurchase",
  method: "post",
  path: "/payments/google",
  tag: "Payments",
  summary: "Credit a Google purchase",
  description:
    "Send what Google Play's Billing Library gave the app: Google is asked what was bought, and the order is fulfilled exactly once, also if Google's notice arrives first. Set your user ID as the obfuscated account ID when you launch the purchase, so that it can be credited without the app; without one, it belongs to the first who presents it. Don't consume or acknowledge the purchase: the service does. While the payment is pending, the order's `status` is `created`, and it is paid when Google says so. Repeating the call returns the order as it is. The error is `PAYMENT_SIGNATURE_INVALID` if Google knows no such purchase of this product and app (or it is of a license tester, in production), `CONFLICT` if it belongs to another account, `ORDER_NOT_PAYABLE` if it was refunded or is a pending subscription, and `NOT_FOUND` if the product isn't sold.",
  auth: "user",
  extension: true,
  rateLimit: { points: 30, seconds: 60, by: "user" },
  body: googlePurchaseBody,
  response: exampleWith(order, {
    provider: "google",
    status: "paid",
    provider_order_id: "GPA.3345-1234-5678-90123",
    paid_at: exampleTime(exampleIds.coinOrder, 75),
  }),
  errors: ["NOT_FOUND", "PAYMENT_SIGNATURE_INVALID", "ORDER_NOT_PAYABLE", "CONFLICT"],
  handler: ({ caller, body }) => presentGooglePurchase(caller, body),
});

const data = Buffer.from(
  JSON.stringify({
    version: "1.0",
    packageName: "com.example.hubbub",
    eventTimeMillis: "1503349566168",
    oneTimeProductNotification: {
      version: "1.0",
      notificationType: 1,
      purchaseToken: "PURCHASE_TOKEN",
      sku: "coins_600",
    },
  }),
).toString("base64");

export const googleNoticeRoute = route({
  id: "receiveGoogleNotice",
  method: "post",
  path: "/payments/webhook/google",
  tag: "Payments",
  summary: "Receive a Google notice",
  description:
    "For Google's Pub/Sub, which pushes real-time developer notifications with a token of the configured service account and audience, not for clients. A notice only says which purchase to look at: Google is asked what is true, so repeated, late, and unknown notices return 200 without effect.",
  auth: "anyone",
  extension: true,
  rateLimit: { points: 60, seconds: 60, by: "ip", only: "PAYMENT_SIGNATURE_INVALID" },
  headers: [
    {
      name: "Authorization",
      description: "Google's token: `Bearer` and an OpenID Connect ID token.",
      example: "Bearer eyJ…",
    },
  ],
  rawBody: {
    read: readBytes,
    schema: object({ message: anyObject(), subscription: Joi.string() })
      .unknown()
      .description("See Google's documentation of Pub/Sub push subscriptions and of real-time developer notifications.")
      .example({
        message: { data, messageId: "136969346945", publishTime: "2026-11-25T12:00:00Z" },
        subscription: "projects/myproject/subscriptions/mysubscription",
      }),
  },
  response: object({ received: flag() }).meta({ name: "WebhookReceipt" }),
  errors: ["NOT_FOUND", "PAYMENT_SIGNATURE_INVALID"],
  inMaintenance: true,
  handler: async ({ body, headers }) => {
    await receiveGoogleNotice(body, headers);
    return { received: true };
  },
});
