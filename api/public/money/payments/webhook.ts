import Joi from "joi";
import { anyObject, flag, object } from "#shared/contracts/fields.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { readBytes } from "../../../http/read-body.ts";
import { type HeaderField, route } from "../../../http/route.ts";

const header = (name: string, description: string, example: string): HeaderField => ({ name, description, example });

const webhookParams = object({
  provider: Joi.string()
    .pattern(/^[a-z]{1,32}$/, "a provider's name")
    .example("sandbox"),
});

/** The signature covers the bytes as sent, so the body is not parsed as JSON first. */
export const webhookRoute = route({
  id: "receivePaymentWebhook",
  method: "post",
  path: "/payments/webhook/:provider",
  tag: "Payments",
  summary: "Receive a payment webhook",
  description:
    "For payment providers, not for clients. The signature is the HMAC-SHA256 of the raw body with the webhook secret, in hex; Stripe's also covers a timestamp, at most five minutes old. During a rotation, both secrets are valid. `payment.captured` and `order.paid` settle the order, `payment.failed` fails it, and `refund.processed` reverses the purchase: coins, or money of a deposit, that have already been spent become a debt, which the next purchase of coins pays first. `payment.dispute.*` does the same once a dispute has taken money, and gives it back when it is won. An event of Stripe says only which payment it is about: what was paid, refunded, and disputed is read from Stripe's API (`ENGINE_UNAVAILABLE` if it doesn't respond). A webhook with the same body is applied once, whatever its ID. Repeated and unknown events, and events about settled orders, return 200 without effect.",
  auth: "anyone",
  rateLimit: { points: 60, seconds: 60, by: "ip", only: "PAYMENT_SIGNATURE_INVALID" },
  params: webhookParams,
  headers: [
    header("X-Sandbox-Signature", "The sandbox's signature of the body.", "3f7a…"),
    header(
      "X-Sandbox-Event-Id",
      "The sandbox's ID of the event, for support. It isn't signed, so it doesn't decide whether an event is new.",
      "evt_pay_sbx17_captured",
    ),
    header("X-Razorpay-Signature", "Razorpay's signature of the body.", "3f7a…"),
    header("X-Razorpay-Event-Id", "Razorpay's ID of the event, likewise.", "evt_L5nPcQ8x1T2Yz9"),
    header("Stripe-Signature", "Stripe's timestamp and signatures.", "t=1767225600,v1=3f7a…"),
  ],
  rawBody: {
    read: readBytes,
    schema: object({ event: Joi.string(), payload: anyObject() })
      .unknown()
      .description("See Razorpay's documentation of webhooks. The sandbox uses the same format.")
      .example({
        event: "payment.captured",
        payload: {
          payment: {
            entity: {
              id: "pay_DaaSOvhgcOfzgR",
              order_id: "order_EKwxwAgItmmXdp",
              amount: 49_900,
              currency: "INR",
              status: "captured",
              captured: true,
            },
          },
        },
      }),
  },
  response: object({ received: flag() }).meta({ name: "WebhookReceipt" }),
  errors: ["PAYMENT_SIGNATURE_INVALID"],
  inMaintenance: true,
  handler: async ({ params, body, headers }) => {
    await receiveWebhook(params.provider, body, headers);
    return { received: true };
  },
});
