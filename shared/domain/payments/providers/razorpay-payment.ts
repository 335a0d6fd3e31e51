import Joi from "joi";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import type { ProviderPayment } from "./provider.ts";

export interface RazorpayPayment {
  id: string;
  order_id: string | null;
  /** Minor units. */
  amount: number;
  currency: string;
  status: string;
  captured?: boolean | null;
}

/** The fields of a payment that are used here; https://razorpay.com/docs/api/payments/ */
export const razorpayPayment = Joi.object<RazorpayPayment>({
  id: providerId().required(),
  order_id: providerId().allow(null).default(null),
  amount: Joi.number().integer().min(1).required(),
  currency: Joi.string().required(),
  status: Joi.string().required(),
  captured: Joi.boolean().allow(null),
});

/** Reserved money that was never captured can be "refunded" too; then `captured` is false. */
export const toPayment = ({ id, order_id, amount, currency, status, captured }: RazorpayPayment): ProviderPayment => ({
  id,
  orderId: order_id,
  amount,
  currency,
  captured: status === "captured" || (status === "refunded" && captured === true),
});
