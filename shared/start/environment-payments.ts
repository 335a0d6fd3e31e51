import Joi from "joi";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, choice, commaList, passing } from "./environment-fields.ts";

/**
 * The first secret signs, and all are accepted, so that a secret can be rotated while signatures of the old one are in
 * flight.
 */
const secrets = (minLength: number) => commaList((secret) => secret.length >= minLength);
const rotation = "To rotate the secret, set the new one, a comma, and the old one.";

/** Minimum length. Secrets must be hard to guess, because anyone who knows them can credit coins for free. */
const sandboxSecretLength = 16;

const neededForRazorpay = { not: Joi.valid("razorpay").required(), otherwise: Joi.required() };
const neededForStripe = { not: Joi.valid("stripe").required(), otherwise: Joi.required() };
const stripeTogether = "requires the other of the two STRIPE secrets";
const payoutsTogether = "requires the other RAZORPAYX variables";
const together = "requires the other RAZORPAY variables";

/** Environment variables of payments. */
export const paymentVariables = {
  PAYMENT_PROVIDER: about(
    choice("razorpay", "stripe", "sandbox").when("NODE_ENV", { not: "production", otherwise: Joi.invalid("sandbox") }),
    {
      purpose:
        "Payment provider of new orders. The others that are configured still settle theirs. Default: razorpay if its keys are set, else stripe if its keys are, otherwise sandbox, which charges no real money. In production there is no default without keys: purchases are disabled.",
      wanted: "razorpay, stripe, or sandbox; in production not sandbox, because it gives coins away",
      example: "razorpay",
    },
  ),
  RAZORPAY_KEY_ID: about(Joi.string().when("PAYMENT_PROVIDER", neededForRazorpay), {
    purpose: "Razorpay API key ID. Sent to clients.",
    wanted: `the key ID; ${together}`,
    example: "rzp_live_xxxxxxxxxxxxxx",
  }),
  RAZORPAY_KEY_SECRET: about(secrets(1).when("PAYMENT_PROVIDER", neededForRazorpay), {
    purpose: `Razorpay API secret, for API calls and for the signatures of payments. ${rotation}`,
    wanted: `the secret, or the new and the old one separated by a comma; ${together}`,
    example: "your-razorpay-key-secret",
    secrecy: "secret",
  }),
  RAZORPAY_WEBHOOK_SECRET: about(secrets(1).when("PAYMENT_PROVIDER", neededForRazorpay), {
    purpose: `Webhook secret from the Razorpay dashboard. The webhook's URL is PUBLIC_URL/api/v1/payments/webhook/razorpay. ${rotation}`,
    wanted: `the secret, or the new and the old one separated by a comma; ${together}`,
    example: "your-razorpay-webhook-secret",
    secrecy: "secret",
  }),
  RAZORPAY_BASE_URL: about(passing(isSecureAddress), {
    purpose: "Base URL of Razorpay's REST API, without /v1.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://api.razorpay.com",
    fallback: "https://api.razorpay.com",
  }),
  RAZORPAYX_KEY_ID: about(Joi.string(), {
    purpose: "RazorpayX API key ID, for payouts. Default: payouts by RazorpayX aren't offered.",
    wanted: `the key ID; ${payoutsTogether}`,
    example: "rzp_live_xxxxxxxxxxxxxx",
  }),
  RAZORPAYX_KEY_SECRET: about(Joi.string(), {
    purpose: "RazorpayX API secret. It can pay out money: keep it apart, and allow only the service's addresses there.",
    wanted: `the secret; ${payoutsTogether}`,
    example: "your-razorpayx-key-secret",
    secrecy: "secret",
  }),
  RAZORPAYX_WEBHOOK_SECRET: about(secrets(1), {
    purpose: `Webhook secret from the RazorpayX dashboard. The webhook's URL is PUBLIC_URL/api/v1/payouts/webhook/razorpayx. ${rotation}`,
    wanted: `the secret, or the new and the old one separated by a comma; ${payoutsTogether}`,
    example: "your-razorpayx-webhook-secret",
    secrecy: "secret",
  }),
  RAZORPAYX_ACCOUNT_NUMBER: about(Joi.string(), {
    purpose: "The account at RazorpayX that payouts are paid from.",
    wanted: `the number of the account; ${payoutsTogether}`,
    example: "7878780080316316",
  }),
  STRIPE_SECRET_KEY: about(
    Joi.string()
      .when("PAYMENT_PROVIDER", neededForStripe)
      .when("NODE_ENV", { not: "production", otherwise: passing((key) => !key.includes("_test_")) }),
    {
      purpose:
        "Stripe's secret key, or a restricted key that writes Checkout Sessions, refunds, and subscriptions, and reads payments, disputes, invoices, prices, and products.",
      wanted: `the key; ${stripeTogether}; in production no key of the test mode, where cards of tests pay`,
      example: "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
      secrecy: "secret",
    },
  ),
  STRIPE_WEBHOOK_SECRET: about(secrets(1).when("PAYMENT_PROVIDER", neededForStripe), {
    purpose: `Signing secret of the webhook endpoint at Stripe. Its URL is PUBLIC_URL/api/v1/payments/webhook/stripe. ${rotation}`,
    wanted: `the secret, or the new and the old one separated by a comma; ${stripeTogether}`,
    example: "whsec_xxxxxxxxxxxxxxxxxxxxxxxx",
    secrecy: "secret",
  }),
  STRIPE_SUCCESS_URL: about(passing(isSecureAddress), {
    purpose:
      "Page of your web app to which Stripe sends users after a payment, with `session_id` in the query, for POST /payments/verify. Default: PUBLIC_URL.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://app.example.com/paid",
  }),
  STRIPE_CANCEL_URL: about(passing(isSecureAddress), {
    purpose: "Page of your web app to which Stripe sends users who don't pay. Default: PUBLIC_URL.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://app.example.com/shop",
  }),
  STRIPE_BASE_URL: about(passing(isSecureAddress), {
    purpose: "Base URL of Stripe's REST API, without /v1.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://api.stripe.com",
    fallback: "https://api.stripe.com",
  }),
  SANDBOX_KEY_SECRET: about(secrets(sandboxSecretLength), {
    purpose: `Secret with which the sandbox signs payments. Default: generated and stored in DATA_DIR. ${rotation}`,
    wanted: `at least ${sandboxSecretLength} characters without a comma, the same for all processes`,
    example: "at least 16 characters",
    secrecy: "secret",
  }),
  SANDBOX_WEBHOOK_SECRET: about(secrets(sandboxSecretLength), {
    purpose: `Secret with which the sandbox signs its webhooks. Default: generated and stored in DATA_DIR. ${rotation}`,
    wanted: `at least ${sandboxSecretLength} characters without a comma, the same for all processes`,
    example: "another secret of at least 16 characters",
    secrecy: "secret",
  }),
};
