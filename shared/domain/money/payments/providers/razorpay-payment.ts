import Joi from "joi";
import { type Infer, nullable, object, optional, withDefault } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import type { ProviderPayment } from "./provider.ts";

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
