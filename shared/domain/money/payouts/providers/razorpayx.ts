import Joi from "joi";
import type { PayoutDetails } from "#shared/contracts/views.ts";
import { providerUnavailable } from "#shared/domain/money/payments/providers/provider.ts";
import {
  RazorpayClient,
  type RazorpayCredentials,
  RazorpayError,
} from "#shared/domain/money/payments/providers/razorpay-client.ts";
import { assertSigned } from "#shared/domain/money/payments/providers/signature.ts";
import { logger } from "#shared/kernel/logger.ts";
import { type PayoutProvider, PayoutRejected, type PayoutToSend } from "./payout-provider.ts";
import { type RazorpayPayout, razorpayPayout, readPayoutEvent, toOutcome } from "./razorpayx-event.ts";

export interface RazorpayXCredentials extends RazorpayCredentials {
  /** The account that pays. */
  readonly accountNumber: string;
}

const created = Joi.object<{ id: string }>({ id: Joi.string().max(100).required() }).required();
const found = Joi.object<{ items: RazorpayPayout[] }>({
  items: Joi.array().items(razorpayPayout.optional()).required(),
}).required();

/** IMPS carries at most ₹5,00,000; NEFT carries any amount. */
const impsMax = 50_000_000;
const modeOf = ({ kind, net }: PayoutToSend, wallet: string | undefined): string => {
  if (kind === "upi") return "UPI";
  return kind === "wallet" ? wallet! : net <= impsMax ? "IMPS" : "NEFT";
};

function accountOf(
  kind: PayoutToSend["kind"],
  { vpa, holder_name, account_number, ifsc, wallet, account }: PayoutDetails,
) {
  if (kind === "upi") return { account_type: "vpa", vpa: { address: vpa } };
  if (kind === "bank")
    return { account_type: "bank_account", bank_account: { name: holder_name, ifsc, account_number } };
  return { account_type: "wallet", wallet: { provider: wallet, phone: account, name: holder_name } };
}

/**
 * RazorpayX Payouts: contacts, fund accounts, and payouts, https://razorpay.com/docs/api/x/payouts/. Statuses that say
 * something of our key instead of the payout leave its outcome unknown.
 */
export function makeRazorpayX(credentials: RazorpayXCredentials, timeoutMs = 10_000): PayoutProvider {
  const client = new RazorpayClient(credentials, timeoutMs);
  const { accountNumber, webhookSecrets } = credentials;
  const judged = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      if (!(error instanceof RazorpayError)) throw error;
      if (error.status === 400 || error.status === 422) throw new PayoutRejected(error.message);
      logger.error({ status: error.status }, "RazorpayX refuses our calls");
      throw providerUnavailable();
    });

  return {
    name: "razorpayx",
    register: async ({ id, userId, kind }, details) => {
      const contact = { name: details.holder_name ?? `Host ${userId.slice(-8)}`, type: "vendor", reference_id: userId };
      const { id: contact_id } = await judged(client.post("/contacts", contact, created));
      const account = { contact_id, ...accountOf(kind, details) };
      const headers = { "X-Payout-Idempotency": id };
      return (await judged(client.post("/fund_accounts", account, created, headers))).id;
    },
    send: async (payout, details) => {
      const body = {
        ...{ account_number: accountNumber, fund_account_id: payout.account_ref, amount: payout.net },
        ...{ currency: payout.currency, mode: modeOf(payout, details.wallet), purpose: "payout" },
        ...{ queue_if_low_balance: true, reference_id: payout.id, narration: "Payout" },
      };
      const headers = { "X-Payout-Idempotency": payout.id };
      return toOutcome(await judged(client.post("/payouts", body, razorpayPayout, headers)));
    },
    find: async ({ id, provider_id }) => {
      if (provider_id) return toOutcome(await judged(client.get(`/payouts/${provider_id}`, razorpayPayout)));
      const query = new URLSearchParams({ account_number: accountNumber, reference_id: id });
      const { items } = await judged(client.get(`/payouts?${query}`, found));
      return items.map(toOutcome).find((outcome) => outcome.id === id);
    },
    parseWebhook: (body, headers) => {
      const signature = headers["x-razorpay-signature"];
      assertSigned(webhookSecrets, body, typeof signature === "string" ? signature : undefined);
      return readPayoutEvent(body);
    },
  };
}
