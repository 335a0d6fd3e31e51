import Joi from "joi";
import { anyObject, flag, object } from "#shared/contracts/fields.ts";
import { kycState, openedKyc } from "#shared/contracts/views.ts";
import { openKyc, receiveKyc } from "#shared/domain/identity/kyc/decide-kyc.ts";
import { getKyc } from "#shared/domain/identity/kyc/kyc.queries.ts";
import { readBytes } from "../../../http/read-body.ts";
import { route as anyRoute, type Route, routeOf } from "../../../http/route.ts";

const route = routeOf("Payouts", "user");

export const kycRoutes = (): Route[] => [
  route({
    id: "getKyc",
    method: "get",
    path: "/kyc",
    extension: true,
    summary: "Get your identity check",
    description: "How well you are known. Payouts require a level, and without one fail with `KYC_REQUIRED`.",
    response: kycState,
    handler: ({ caller }) => getKyc(caller.userId),
  }),
  route({
    id: "openKyc",
    method: "post",
    path: "/kyc",
    extension: true,
    summary: "Start an identity check",
    description:
      "Opens a case at the provider of identity checks, or returns your open one. The provider asks for documents; this service never gets them.",
    response: openedKyc,
    errors: ["RATE_LIMITED"],
    handler: ({ caller }) => openKyc(caller),
  }),
  anyRoute({
    id: "receiveKycWebhook",
    method: "post",
    path: "/kyc/webhook/:provider",
    tag: "Payouts",
    extension: true,
    summary: "Receive an identity check",
    description:
      "For the provider of identity checks, not for clients. The signature is the HMAC-SHA256 of the raw body with the webhook secret, in hex. Of several results of a case, the latest `decided_at` holds.",
    auth: "anyone",
    rateLimit: { points: 60, seconds: 60, by: "ip", only: "PAYMENT_SIGNATURE_INVALID" },
    params: object({
      provider: Joi.string()
        .pattern(/^[a-z]{1,32}$/, "a provider's name")
        .example("sandbox"),
    }),
    headers: [{ name: "X-Sandbox-Signature", description: "The sandbox's signature of the body.", example: "3f7a…" }],
    rawBody: {
      read: readBytes,
      schema: anyObject().example({
        reference: "kyc_sbx0198f2ae",
        status: "approved",
        level: 1,
        expires_at: "2028-01-01T00:00:00.000Z",
        decided_at: "2027-01-01T00:00:00.000Z",
      }),
    },
    response: object({ received: flag() }).meta({ name: "WebhookReceipt" }),
    errors: ["PAYMENT_SIGNATURE_INVALID"],
    inMaintenance: true,
    handler: async ({ params, body, headers }) => {
      await receiveKyc(params.provider, body, headers);
      return { received: true };
    },
  }),
];
