import type { PayoutDetails } from "#shared/contracts/views.ts";
import { assertSigned } from "#shared/domain/money/payments/providers/signature.ts";
import { sign } from "#shared/kernel/hmac.ts";
import { type PayoutOutcome, type PayoutProvider, PayoutRejected, type PayoutToSend } from "./payout-provider.ts";
import { readPayoutEvent } from "./razorpayx-event.ts";

const settled = ({ id, net, currency }: PayoutToSend): PayoutOutcome => ({
  ...{ providerId: `pout_sbx${id.replaceAll("-", "")}`, id, status: "settled", amount: net, currency },
  ...{ reference: id.slice(-12), failure: null },
});

/**
 * Our own provider, which moves no money and makes no requests: every payout arrives at once, but those to an address
 * or an account that begins with `failure` are rejected. Its webhooks have the form of RazorpayX's.
 */
export const makeSandboxPayouts = (
  secrets: readonly string[],
): PayoutProvider & { signWebhook(body: string): string } => ({
  name: "sandbox",
  send: async (payout, details: PayoutDetails) => {
    if (Object.values(details).some((value) => value.startsWith("failure")))
      throw new PayoutRejected("The sandbox rejects this account.");
    return settled(payout);
  },
  find: async (payout) => (payout.provider_id ? settled(payout) : undefined),
  parseWebhook: (body, headers) => {
    const signature = headers["x-sandbox-signature"];
    assertSigned(secrets, body, typeof signature === "string" ? signature : undefined);
    return readPayoutEvent(body);
  },
  signWebhook: (body) => sign(secrets[0]!, body),
});
