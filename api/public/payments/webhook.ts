import express, { type Request, Router } from "express";
import Joi from "joi";
import { checkInput } from "#shared/contracts/check-input.ts";
import { flag, object } from "#shared/contracts/fields.ts";
import { receiveWebhook } from "#shared/domain/payments/receive-webhook.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { RateLimits } from "../../http/rate-limit.ts";
import { type Locals, sendData } from "../../http/respond.ts";
import type { PlainRoute } from "../../http/route.ts";

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
  example,
});

const webhookParams = object({
  provider: Joi.string()
    .pattern(/^[a-z]{1,32}$/, "provider's name")
    .example("sandbox"),
});

/** How the webhook is documented. Its body must be read as bytes, so it is no entry of the table of routes. */
export const webhookRoute: PlainRoute = {
  method: "post",
  path: "/payments/webhook/:provider",
  tag: "Payments",
  summary: "Take what a payment provider tells",
  description:
    "For payment providers, not for clients. The signature is HMAC-SHA256, in hex, of the body's bytes under the webhook secret; of two secrets that are configured either may have signed. `payment.captured` and `order.paid` settle the order, `payment.failed` fails it, `refund.processed` takes back what was bought: coins that were spent already become a debt to the house, which later credits leave as it is. An event that was seen, that is about an order that is settled, or that is not known, is answered with 200 and does nothing. Calls with a wrong signature are limited; others are not.",
  auth: "anyone",
  rateLimit: { points: 60, seconds: 60, by: "ip" },
  params: webhookParams,
  headers: [
    header("X-Sandbox-Signature", "From the sandbox.", "3f7a…"),
    header("X-Sandbox-Event-Id", "From the sandbox: the same when an event is sent again.", "evt_pay_sbx17_captured"),
    header("X-Razorpay-Signature", "From Razorpay.", "3f7a…"),
    header("X-Razorpay-Event-Id", "From Razorpay: the same when an event is sent again.", "evt_L5nPcQ8x1T2Yz9"),
  ],
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: {
          type: "object",
          properties: { event: { type: "string" }, payload: { type: "object" } },
          description: "As Razorpay documents its webhooks; the sandbox sends the same.",
        },
        example: {
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
        },
      },
    },
  },
  response: object({ received: flag() }),
  errors: ["PAYMENT_SIGNATURE_INVALID"],
  inMaintenance: true,
};

/** Before any parser of JSON: the signature is over the bytes as they came. */
export function paymentWebhook(rateLimits: RateLimits): Router {
  const router = Router();
  const asBytes = express.raw({ type: () => true, limit: "64kb", inflate: false });
  router.post(webhookRoute.path, asBytes, async (req, res) => {
    (res.locals as Locals).route = webhookRoute.path;
    await take(req, rateLimits);
    sendData(res, 200, { received: true });
  });
  return router;
}

async function take(req: Request, rateLimits: RateLimits): Promise<void> {
  const { provider } = checkInput(webhookParams, req.params);
  try {
    await receiveWebhook(provider, Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0), req.headers);
  } catch (error) {
    if (error instanceof DomainError && error.code === "PAYMENT_SIGNATURE_INVALID")
      await rateLimits.take(webhookRoute, { ip: req.ip ?? "" });
    throw error;
  }
}
