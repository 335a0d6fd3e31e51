import type { PaymentsSetup } from "#shared/domain/money/payments/payments.config.ts";
import type { PayoutProvider } from "#shared/domain/money/payouts/providers/payout-provider.ts";
import { makeRazorpayX } from "#shared/domain/money/payouts/providers/razorpayx.ts";
import { makeSandboxPayouts } from "#shared/domain/money/payouts/providers/sandbox-payouts.ts";
import { appleHistory } from "#shared/domain/money/stores/apple/apple-history.ts";
import { googleHistory } from "#shared/domain/money/stores/google/google-history.ts";
import type { Config } from "#shared/start/config.ts";
import { loadOrCreateSecret } from "#shared/start/data-folder.ts";

/** Returns the providers of payouts: RazorpayX with its keys, and the sandbox where it also takes payments. */
export const payoutProviders = ({ payments }: Config, { sandbox }: PaymentsSetup): PayoutProvider[] => [
  ...(payments.razorpayX ? [makeRazorpayX(payments.razorpayX)] : []),
  ...(sandbox ? [makeSandboxPayouts(sandbox.webhookSecrets)] : []),
];

/** Returns the setup of payments. For the sandbox, adds its secrets from the environment or the data folder. */
export async function paymentsSetup({ payments, stores, dataDir }: Config): Promise<PaymentsSetup> {
  const { provider, razorpay, stripe, sandbox } = payments;
  return {
    ...(provider && { provider }),
    ...(razorpay && { razorpay }),
    // Stripe's library takes a tenth of a second to load, and 35 MB.
    ...(stripe && {
      stripe: (await import("#shared/domain/money/subscriptions/record-at-stripe.ts")).makeRenewingStripe(stripe),
    }),
    histories: { ...(stores.apple?.key && { apple: appleHistory }), ...(payments.google && { google: googleHistory }) },
    ...(provider === "sandbox" && {
      sandbox: {
        keySecrets: sandbox.keySecrets ?? [await loadOrCreateSecret(dataDir, "sandbox-key-secret")],
        webhookSecrets: sandbox.webhookSecrets ?? [await loadOrCreateSecret(dataDir, "sandbox-webhook-secret")],
      },
    }),
  };
}
