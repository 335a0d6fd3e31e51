import Joi from "joi";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, commaList } from "./environment-fields.ts";

/** What the service reads about payments. */
export interface PaymentEnvironment {
  PAYMENT_PROVIDER?: "razorpay" | "sandbox";
  RAZORPAY_KEY_ID?: string;
  RAZORPAY_KEY_SECRET?: string[];
  RAZORPAY_WEBHOOK_SECRET?: string[];
  RAZORPAY_BASE_URL: string;
  SANDBOX_KEY_SECRET?: string[];
  SANDBOX_WEBHOOK_SECRET?: string[];
}

/** The first signs; all are taken, so that a secret can be replaced while what the old one has signed is on its way. */
const secrets = (minLength: number) => commaList((secret) => secret.length >= minLength);
const rotation = "While a secret is replaced: the new one, a comma, the old one.";

/** A sandbox that others can pay in for nothing gives its coins to anybody. */
const sandboxSecretLength = 16;

const neededForRazorpay = { not: Joi.valid("razorpay").required(), otherwise: Joi.required() };
const together = "together with the other RAZORPAY variables";

export const paymentVariables: { readonly [K in keyof Required<PaymentEnvironment>]: Joi.Schema } = {
  PAYMENT_PROVIDER: about(Joi.valid("razorpay", "sandbox"), {
    purpose:
      "Who takes the money. When it is not set: razorpay if its keys are, else sandbox, which takes none; in production nobody, and nothing can be bought.",
    wanted: "razorpay or sandbox",
    example: "razorpay",
  }),
  RAZORPAY_KEY_ID: about(Joi.string().when("PAYMENT_PROVIDER", neededForRazorpay), {
    purpose: "Razorpay API key; clients are given it too.",
    wanted: `the key id, ${together}`,
    example: "rzp_live_xxxxxxxxxxxxxx",
  }),
  RAZORPAY_KEY_SECRET: about(secrets(1).when("PAYMENT_PROVIDER", neededForRazorpay), {
    purpose: `Razorpay API secret: it opens the API and signs what clients bring back. ${rotation}`,
    wanted: `the secret, or the new and the old one separated by a comma, ${together}`,
    example: "the secret that belongs to the key id",
    secrecy: "secret",
  }),
  RAZORPAY_WEBHOOK_SECRET: about(secrets(1).when("PAYMENT_PROVIDER", neededForRazorpay), {
    purpose: `What Razorpay signs its webhooks with, as typed in its dashboard; the webhook's address is PUBLIC_URL/api/v1/payments/webhook/razorpay. ${rotation}`,
    wanted: `the secret, or the new and the old one separated by a comma, ${together}`,
    example: "the secret that was typed for the webhook",
    secrecy: "secret",
  }),
  RAZORPAY_BASE_URL: about(
    Joi.string()
      .custom((value: string, helpers) => (isSecureAddress(value) ? value : helpers.error("any.invalid")))
      .default("https://api.razorpay.com"),
    {
      purpose: "Where Razorpay's REST API is, without /v1.",
      wanted: "an https address; http only for this machine itself",
      example: "https://api.razorpay.com",
    },
  ),
  SANDBOX_KEY_SECRET: about(secrets(sandboxSecretLength), {
    purpose: `What the sandbox signs payments with. One is made and kept in DATA_DIR when it is not set. ${rotation}`,
    wanted: `at least ${sandboxSecretLength} characters without a comma, the same for all processes`,
    example: "any 16 characters or more",
    secrecy: "secret",
  }),
  SANDBOX_WEBHOOK_SECRET: about(secrets(sandboxSecretLength), {
    purpose: `What the sandbox signs its webhooks with. One is made and kept in DATA_DIR when it is not set. ${rotation}`,
    wanted: `at least ${sandboxSecretLength} characters without a comma, the same for all processes`,
    example: "other 16 characters or more",
    secrecy: "secret",
  }),
};
