import type { IncomingHttpHeaders } from "node:http";
import { applyOutcome } from "./apply-outcome.ts";
import { payoutProvider } from "./payouts.config.ts";

/**
 * Receives a webhook about a payout.
 * @throws NOT_FOUND (no such provider), PAYMENT_SIGNATURE_INVALID, MALFORMED_JSON
 */
export async function receivePayoutWebhook(name: string, body: Buffer, headers: IncomingHttpHeaders): Promise<void> {
  const outcome = payoutProvider(name).parseWebhook(body, headers);
  if (outcome) await applyOutcome(name, outcome);
}
