import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { type Infer, id, object, oneOf, optional, pageQuery, rareId } from "#shared/contracts/fields.ts";
import { orderKinds, orderStatuses, platforms, providerId } from "#shared/contracts/views/payment-views.ts";
import { couponCode } from "#shared/contracts/views.ts";
import type { PaymentProof } from "#shared/domain/money/payments/verify-payment.ts";

export const createOrderBody = object({
  package_id: id(exampleIds.coinPackage),
  offer_id: optional(rareId().description("The offer that was shown with the package. Default: the best one.")),
}).meta({ name: "CreateOrderBody" });

export const couponParams = object({ code: couponCode() });

export const platformQuery = object({
  platform: optional(
    oneOf(...platforms)
      .description("Where the app runs.")
      .example("ios"),
  ),
});

export const orderParams = object({ id: id(exampleIds.coinOrder) });

export const ordersQuery = object({
  ...pageQuery,
  kind: optional(oneOf(...orderKinds)),
  status: optional(oneOf(...orderStatuses)),
});

const signature = () =>
  Joi.string().min(1).max(256).example("d1f0c3a5b7e94d6f8a2b4c6e8f0a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a");
const alias = "The same value under the name that Razorpay's checkout uses. Send one of the two.";

const paymentNames = ["payment_provider_payment_id", "razorpay_payment_id"];
const signatureNames = ["payment_provider_signature", "razorpay_signature"];

/** The payment and its signature come together, each under one of its names, or not at all. */
function both(body: Readonly<Record<string, unknown>>, helpers: Joi.CustomHelpers) {
  const given = (names: string[]) => names.filter((name) => body[name] !== undefined).length;
  const counts = [given(paymentNames), given(signatureNames)];
  if (counts.every((count) => count === 0)) return body;
  for (const [index, peersWithLabels] of [paymentNames, signatureNames].entries())
    if (counts[index] !== 1) return helpers.error(counts[index] ? "object.xor" : "object.missing", { peersWithLabels });
  return body;
}

export const verifyPaymentBody = object({
  payment_provider_order_id: optional(providerId()),
  payment_provider_payment_id: optional(providerId("pay_sbx8d1e4f7a2b5c8d1e4f7a2b5c8d1e4f7a")),
  payment_provider_signature: optional(signature()),
  razorpay_order_id: optional(providerId("order_EKwxwAgItmmXdp").description(alias)),
  razorpay_payment_id: optional(providerId("pay_DaaSOvhgcOfzgR").description(alias)),
  razorpay_signature: optional(signature().description(alias)),
})
  .xor("payment_provider_order_id", "razorpay_order_id")
  .custom(both)
  .description(
    "The three values that the provider's checkout returned, each under one of its two names. Stripe returns only the first, as `session_id`.",
  )
  .example({
    payment_provider_order_id: "order_sbx5f0c2b9e4d7a41f8a6b3c2d1e0f9a8b7",
    payment_provider_payment_id: "pay_sbx8d1e4f7a2b5c8d1e4f7a2b5c8d1e4f7a",
    payment_provider_signature: "d1f0c3a5b7e94d6f8a2b4c6e8f0a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a",
  })
  .meta({ name: "VerifyPaymentBody" });

/** Returns the values, under whichever names they came. */
export const proofOf = (body: Infer<typeof verifyPaymentBody>): PaymentProof => ({
  orderId: (body.payment_provider_order_id ?? body.razorpay_order_id)!,
  paymentId: body.payment_provider_payment_id ?? body.razorpay_payment_id,
  signature: body.payment_provider_signature ?? body.razorpay_signature,
});
