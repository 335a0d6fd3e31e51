import Joi from "joi";
import type { Infer } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { EventEffect, ProviderEvent, ProviderPayment } from "./provider.ts";
import { isOver, razorpayDispute, razorpayPayment, standOf, toPayment } from "./razorpay-payment.ts";

const refund = Joi.object({ id: providerId().required(), amount: Joi.number().integer().min(1).required() });

/** `payload` of Razorpay's webhooks, https://razorpay.com/docs/webhooks/; the sandbox sends the same. */
const paymentPayload = Joi.object({ payment: Joi.object({ entity: razorpayPayment.required() }).required() });
const refundPayload = paymentPayload.append({ refund: Joi.object({ entity: refund.required() }).required() });
const disputePayload = paymentPayload.append({
  dispute: Joi.object({ entity: razorpayDispute.required() }).required(),
});

const paymentEvents = ["payment.captured", "order.paid", "payment.authorized", "payment.failed"];

function payloadOf(type: string): Joi.ObjectSchema | undefined {
  if (paymentEvents.includes(type)) return paymentPayload;
  if (type.startsWith("payment.dispute.")) return disputePayload;
  return type === "refund.processed" ? refundPayload : undefined;
}

/**
 * Returns what a webhook of Razorpay says; its signature has been verified.
 * @throws MALFORMED_JSON when it is no JSON object
 */
export function readRazorpayEvent(body: Buffer): Omit<ProviderEvent, "id"> {
  const { event, payload } = parse(body);
  const type = typeof event === "string" && event !== "" ? clean(event) : "unnamed";
  return { type, effect: effectOf(type, payload), summary: summarise(payload) };
}

function parse(body: Buffer): { event?: unknown; payload?: unknown } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    throw new DomainError("MALFORMED_JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new DomainError("MALFORMED_JSON");
  return parsed;
}

function effectOf(type: string, payload: unknown): EventEffect {
  const schema = payloadOf(type);
  if (!schema) return { kind: "none", why: "ignored" };
  const { error, value } = schema.required().validate(payload, { convert: false, stripUnknown: true });
  if (error) return { kind: "none", why: "malformed" };
  const paid = toPayment(value.payment.entity);
  if (paid.orderId === null) return { kind: "none", why: "ignored" };
  if (type === "payment.authorized") return { kind: "reserved", providerOrderId: paid.orderId };
  if (type === "payment.failed") return { kind: "failed", providerOrderId: paid.orderId };
  // A refund of money that was only reserved: it was never captured.
  if (!paid.captured) return { kind: "none", why: "ignored" };
  if (schema === refundPayload) return { kind: "refunded", payment: paid, refund: value.refund.entity };
  if (schema === disputePayload) return disputed(paid, value.dispute.entity);
  return { kind: "captured", payment: paid };
}

/** Events may come in any order: what was won takes nothing later. */
function disputed(payment: ProviderPayment, one: Infer<typeof razorpayDispute>): EventEffect {
  const dispute = standOf(one);
  if (dispute) return { kind: "refunded", payment, refund: { id: one.id, amount: one.amount, dispute } };
  return isOver(one) ? { kind: "reversed", payment, refundId: one.id } : { kind: "none", why: "ignored" };
}

/** The fields of an event that may be stored: no addresses, numbers or names of people. */
const storedFields = new Set(
  `id entity amount amount_refunded amount_paid amount_deducted currency status order_id payment_id captured
  refund_status method receipt error_code error_reason reason_code phase created_at`.split(/\s+/),
);
const keptEntities = 10;

function summarise(payload: unknown): object {
  const entities = Object.entries(payload ?? {}).slice(0, keptEntities);
  return Object.fromEntries(entities.map(([name, member]) => [clean(name), keptOf(member?.entity)]));
}

function keptOf(entity: unknown): object {
  if (typeof entity !== "object" || entity === null) return {};
  const kept = Object.entries(entity).filter(([key, value]) => storedFields.has(key) && typeof value !== "object");
  return Object.fromEntries(kept.map(([key, value]) => [key, typeof value === "string" ? clean(value) : value]));
}

/** Returns text that PostgreSQL can store, shortened. */
const clean = (text: string): string => text.toWellFormed().replaceAll("\u0000", "").slice(0, 100).toWellFormed();
