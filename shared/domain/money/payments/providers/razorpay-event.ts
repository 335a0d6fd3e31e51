import Joi from "joi";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { EventEffect, ProviderEvent } from "./provider.ts";
import { razorpayPayment, toPayment } from "./razorpay-payment.ts";

const refund = Joi.object({ id: providerId().required(), amount: Joi.number().integer().min(1).required() });

/** `payload` of Razorpay's webhooks, https://razorpay.com/docs/webhooks/; the sandbox sends the same. */
const paymentPayload = Joi.object({ payment: Joi.object({ entity: razorpayPayment.required() }).required() });
const refundPayload = paymentPayload.append({ refund: Joi.object({ entity: refund.required() }).required() });

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
  if (!["payment.captured", "order.paid", "payment.authorized", "payment.failed", "refund.processed"].includes(type))
    return { kind: "none", why: "ignored" };
  const schema = type === "refund.processed" ? refundPayload : paymentPayload;
  const { error, value } = schema.required().validate(payload, { convert: false, stripUnknown: true });
  if (error) return { kind: "none", why: "malformed" };
  const paid = toPayment(value.payment.entity);
  if (paid.orderId === null) return { kind: "none", why: "ignored" };
  if (type === "payment.authorized") return { kind: "reserved", providerOrderId: paid.orderId };
  if (type === "payment.failed") return { kind: "failed", providerOrderId: paid.orderId };
  // A refund of money that was only reserved: it was never captured.
  if (!paid.captured) return { kind: "none", why: "ignored" };
  if (type !== "refund.processed") return { kind: "captured", payment: paid };
  return { kind: "refunded", payment: paid, refund: value.refund.entity };
}

/** The fields of an event that may be stored: no addresses, numbers or names of people. */
const storedFields = new Set(
  `id entity amount amount_refunded amount_paid currency status order_id payment_id captured refund_status method receipt
  error_code error_reason reason_code created_at`.split(/\s+/),
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
