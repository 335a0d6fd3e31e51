import Joi from "joi";
import { anyObject, flag, object } from "#shared/contracts/fields.ts";
import { receiveWebhook } from "#shared/domain/payments/receive-webhook.ts";
import { readBytes } from "../../http/read-body.ts";
import { type HeaderField, route } from "../../http/route.ts";

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
    "For payment providers, not for clients. The signature is HMAC-SHA256, in hex, of the body's bytes under the webhook secret; of two secrets that are configured either may have signed. `payment.captured` and `order.paid` settle the order, `payment.failed` fails it, `refund.processed` takes back what was bought: coins that were spent already become a debt to the house, which later credits leave as it is. An event that was seen, that is about an order that is settled, or that is not known, is answered with 200 and does nothing.",
  auth: "anyone",
  rateLimit: { points: 60, seconds: 60, by: "ip", only: "PAYMENT_SIGNATURE_INVALID" },
  params: webhookParams,
  headers: [
    header("X-Sandbox-Signature", "From the sandbox.", "3f7a…"),
    header("X-Sandbox-Event-Id", "From the sandbox: the same when an event is sent again.", "evt_pay_sbx17_captured"),
    header("X-Razorpay-Signature", "From Razorpay.", "3f7a…"),
    header("X-Razorpay-Event-Id", "From Razorpay: the same when an event is sent again.", "evt_L5nPcQ8x1T2Yz9"),
  ],
  rawBody: {
    read: readBytes,
    schema: object({ event: Joi.string(), payload: anyObject() })
      .unknown()
      .description("As Razorpay documents its webhooks; the sandbox sends the same.")
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
