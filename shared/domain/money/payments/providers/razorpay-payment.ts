import Joi from "joi";
import { type Infer, nullable, object, optional, withDefault } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import type { ProviderPayment, ProviderRefund } from "./provider.ts";

/** The fields of a payment that are used here; https://razorpay.com/docs/api/payments/ */
export const razorpayPayment = object({
  id: providerId(),
  order_id: withDefault(nullable(providerId()), null),
  /** Minor units. */
  amount: Joi.number().integer().min(1),
  currency: Joi.string(),
  status: Joi.string(),
  captured: optional(nullable(Joi.boolean())),
});
export type RazorpayPayment = Infer<typeof razorpayPayment>;

/** Reserved money that was never captured can be "refunded" too; then `captured` is false. */
export const toPayment = ({ id, order_id, amount, currency, status, captured }: RazorpayPayment): ProviderPayment => ({
  id,
  orderId: order_id,
  amount,
  currency,
  captured: status === "captured" || (status === "refunded" && captured === true),
});

/** The fields of a refund that are used here; https://razorpay.com/docs/api/refunds/ */
export const razorpayRefund = object({
  id: providerId(),
  amount: Joi.number().integer().min(1),
  status: Joi.string(),
  receipt: withDefault(nullable(Joi.string()), null),
});

/** The fields of a dispute that are used here; https://razorpay.com/docs/api/disputes/ */
export const razorpayDispute = object({
  id: providerId(),
  /** What is disputed, minor units of the payment's currency. */
  amount: Joi.number().integer().min(1),
  /** What was taken for it, in the currency of our account: when it is lost, of some accounts when it is opened. */
  amount_deducted: Joi.number().integer().min(0),
  status: Joi.string(),
});
type Dispute = Infer<typeof razorpayDispute>;

/** How a dispute that has taken money stands; undefined if it hasn't yet, or has given it back. */
export function standOf({ status, amount_deducted }: Dispute): ProviderRefund["dispute"] | undefined {
  if (status === "lost") return "lost";
  if (status === "won" || amount_deducted === 0) return undefined;
  return status === "closed" ? "lost" : "open";
}

/** Whether a dispute has ended, and the money stays with us. */
export const isOver = (dispute: Dispute): boolean =>
  ["won", "closed"].includes(dispute.status) && standOf(dispute) === undefined;
