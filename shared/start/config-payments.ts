import type { Environment } from "./environment.ts";
import { type GooglePlayConfig, googlePlayOf } from "./environment-google-play.ts";

/** Of several secrets, the first signs and all are accepted. */
export interface PaymentsConfig {
  /** The provider of new orders. If absent, purchases are disabled. */
  readonly provider?: "razorpay" | "stripe" | "sandbox";
  readonly razorpay?: {
    readonly keyId: string;
    readonly keySecrets: readonly string[];
    readonly webhookSecrets: readonly string[];
    readonly baseUrl: string;
  };
  /** Pays out. If absent, payouts by it aren't offered. */
  readonly razorpayX?: NonNullable<PaymentsConfig["razorpay"]> & { readonly accountNumber: string };
  readonly stripe?: {
    readonly secretKey: string;
    readonly webhookSecrets: readonly string[];
    readonly baseUrl: string;
    readonly successUrl?: string;
    readonly cancelUrl?: string;
  };
  /** The app at Google Play. If absent, purchases there aren't accepted. */
  readonly google?: GooglePlayConfig;
  /** Absent secrets are generated and stored in `dataDir`. */
  readonly sandbox: { readonly keySecrets?: readonly string[]; readonly webhookSecrets?: readonly string[] };
}

/** Returns the configuration of payments. */
function stripeOf(read: Environment): PaymentsConfig["stripe"] {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets } = read;
  if (!secretKey || !webhookSecrets) return undefined;
  return Object.freeze({
    secretKey,
    webhookSecrets,
    baseUrl: read.STRIPE_BASE_URL,
    ...(read.STRIPE_SUCCESS_URL && { successUrl: read.STRIPE_SUCCESS_URL }),
    ...(read.STRIPE_CANCEL_URL && { cancelUrl: read.STRIPE_CANCEL_URL }),
  });
}

function razorpayXOf(read: Environment): PaymentsConfig["razorpayX"] {
  const { RAZORPAYX_KEY_ID: keyId, RAZORPAYX_KEY_SECRET: keySecret } = read;
  const { RAZORPAYX_WEBHOOK_SECRET: webhookSecrets, RAZORPAYX_ACCOUNT_NUMBER: accountNumber } = read;
  if (!keyId || !keySecret || !webhookSecrets || !accountNumber) return undefined;
  return Object.freeze({
    keyId,
    keySecrets: [keySecret],
    webhookSecrets,
    accountNumber,
    baseUrl: read.RAZORPAY_BASE_URL,
  });
}

export function paymentsOf(read: Environment): PaymentsConfig {
  const { RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecrets, RAZORPAY_WEBHOOK_SECRET: webhookSecrets } = read;
  const hasKeys = keyId && keySecrets && webhookSecrets;
  const stripe = stripeOf(read);
  const payingOut = razorpayXOf(read);
  const withKeys = hasKeys ? "razorpay" : stripe && "stripe";
  const usual = withKeys ?? (read.NODE_ENV === "production" ? undefined : "sandbox");
  const provider = read.PAYMENT_PROVIDER ?? usual;
  return {
    ...(provider && { provider }),
    ...(hasKeys && {
      razorpay: Object.freeze({ keyId, keySecrets, webhookSecrets, baseUrl: read.RAZORPAY_BASE_URL }),
    }),
    ...(payingOut && { razorpayX: payingOut }),
    ...(stripe && { stripe }),
    ...googlePlayOf(read),
    sandbox: Object.freeze({
      ...(read.SANDBOX_KEY_SECRET && { keySecrets: read.SANDBOX_KEY_SECRET }),
      ...(read.SANDBOX_WEBHOOK_SECRET && { webhookSecrets: read.SANDBOX_WEBHOOK_SECRET }),
    }),
  };
}
