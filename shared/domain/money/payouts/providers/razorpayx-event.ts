import Joi from "joi";
import { providerId } from "#shared/contracts/views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PayoutOutcome } from "./payout-provider.ts";

/** A payout of RazorpayX, https://razorpay.com/docs/api/x/payouts/. */
export interface RazorpayPayout {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: keyof typeof statuses;
  readonly reference_id: string | null;
  readonly utr: string | null;
  readonly failure_reason: string | null;
  readonly status_details?: { readonly description?: string | null } | null;
}

/** What each status means. The first ones can still become any of the others. */
const statuses = {
  queued: "processing",
  scheduled: "processing",
  pending: "processing",
  processing: "processing",
  processed: "settled",
  reversed: "returned",
  rejected: "returned",
  cancelled: "returned",
  failed: "returned",
} as const;

const words = () => Joi.string().allow("", null).empty("").default(null);
export const razorpayPayout = Joi.object<RazorpayPayout>({
  id: providerId().required(),
  amount: Joi.number().integer().min(1).required(),
  currency: Joi.string().required(),
  status: Joi.valid(...Object.keys(statuses)).required(),
  reference_id: words(),
  utr: words(),
  failure_reason: words(),
  status_details: Joi.object({ description: words() }).unknown().allow(null),
}).required();

const ourId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const toOutcome = (payout: RazorpayPayout): PayoutOutcome => ({
  providerId: payout.id,
  id: payout.reference_id && ourId.test(payout.reference_id) ? payout.reference_id : null,
  status: statuses[payout.status],
  amount: payout.amount,
  currency: payout.currency,
  reference: payout.utr?.slice(0, 100) ?? null,
  failure: (payout.failure_reason ?? payout.status_details?.description ?? null)?.slice(0, 300) ?? null,
});

/**
 * Returns what a webhook of RazorpayX says of a payout; its signature has been verified. Null: nothing.
 * @throws MALFORMED_JSON
 */
export function readPayoutEvent(body: Buffer): PayoutOutcome | null {
  let parsed: { event?: unknown; payload?: { payout?: { entity?: unknown } } } | null;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    throw new DomainError("MALFORMED_JSON");
  }
  if (typeof parsed?.event !== "string" || !parsed.event.startsWith("payout.")) return null;
  const entity = parsed.payload?.payout?.entity;
  const { error, value } = razorpayPayout.validate(entity, { convert: false, stripUnknown: true });
  return error ? null : toOutcome(value);
}
