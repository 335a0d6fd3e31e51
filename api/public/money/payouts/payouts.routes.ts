import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { anyObject, flag, id, listOf, object, oneOf, optional, pageOf, pageQuery } from "#shared/contracts/fields.ts";
import { earningsAmount, payout, payoutMethod, payoutMethodInput, payoutStatuses } from "#shared/contracts/views.ts";
import { listMethods } from "#shared/domain/money/payouts/payout-methods.ts";
import { listPayouts, readPayout } from "#shared/domain/money/payouts/payouts.queries.ts";
import { receivePayoutWebhook } from "#shared/domain/money/payouts/receive-payout-webhook.ts";
import { requestPayout } from "#shared/domain/money/payouts/request-payout.ts";
import { readBytes } from "../../../http/read-body.ts";
import { route as anyRoute, type Route, routeOf } from "../../../http/route.ts";

const route = routeOf("Payouts", "user");

export const payoutsRoutes = (): Route[] => [
  route({
    id: "listPayoutMethods",
    method: "get",
    path: "/payouts/methods",
    extension: true,
    summary: "List payout methods",
    description: "How you can be paid in your country, what you have to give for it, and what it brings and costs.",
    response: listOf(payoutMethod),
    handler: ({ caller }) => listMethods(caller.userId),
  }),
  route({
    id: "requestPayout",
    method: "post",
    path: "/payouts",
    blocks: "none",
    summary: "Request a payout",
    description:
      "Holds available earnings, which are paid out as money once an administrator has approved it. It brings `rate` minor units for 10,000 earnings, rounded down, less the fee. If it is declined, fails, or comes back, you have the earnings again. Debts of refunded purchases come first (`CONFLICT`).",
    idempotent: true,
    body: object({ amount: earningsAmount(50_000), method: payoutMethodInput }).meta({ name: "RequestPayoutBody" }),
    response: payout,
    status: 201,
    errors: ["KYC_REQUIRED", "INSUFFICIENT_BALANCE", "CONFLICT"],
    handler: ({ caller, body, idempotency }) => requestPayout(caller, body, idempotency),
  }),
  route({
    id: "listPayouts",
    method: "get",
    path: "/payouts",
    summary: "List payouts",
    description: "Your payouts, newest first.",
    query: object({ ...pageQuery, status: optional(oneOf(...payoutStatuses)) }),
    response: pageOf(payout),
    handler: ({ caller, query }) => listPayouts(caller.userId, query),
  }),
  route({
    id: "getPayout",
    method: "get",
    path: "/payouts/:id",
    blocks: "none",
    summary: "Get a payout",
    params: object({ id: id(exampleIds.payout) }),
    response: payout,
    handler: ({ caller, params }) => readPayout(caller.userId, params.id),
  }),
  anyRoute({
    id: "receivePayoutWebhook",
    method: "post",
    path: "/payouts/webhook/:provider",
    tag: "Payouts",
    extension: true,
    summary: "Receive a payout webhook",
    description:
      "For payout providers, not for clients. The signature is the HMAC-SHA256 of the raw body with the webhook secret, in hex. What is repeated, late, or out of order changes nothing.",
    auth: "anyone",
    rateLimit: { points: 60, seconds: 60, by: "ip", only: "PAYMENT_SIGNATURE_INVALID" },
    params: object({
      provider: Joi.string()
        .pattern(/^[a-z]{1,32}$/, "a provider's name")
        .example("sandbox"),
    }),
    headers: [
      { name: "X-Razorpay-Signature", description: "RazorpayX's signature of the body.", example: "3f7a…" },
      { name: "X-Sandbox-Signature", description: "The sandbox's signature of the body.", example: "3f7a…" },
    ],
    rawBody: {
      read: readBytes,
      schema: anyObject().example({
        event: "payout.processed",
        payload: {
          payout: {
            entity: {
              id: "pout_1",
              amount: 49_500,
              currency: "INR",
              status: "processed",
              reference_id: exampleIds.payout,
            },
          },
        },
      }),
    },
    response: object({ received: flag() }).meta({ name: "WebhookReceipt" }),
    errors: ["PAYMENT_SIGNATURE_INVALID"],
    inMaintenance: true,
    handler: async ({ params, body, headers }) => {
      await receivePayoutWebhook(params.provider, body, headers);
      return { received: true };
    },
  }),
];
