import Joi from "joi";
import { type Infer, listOf, nullable, object } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import { isSigned } from "#shared/kernel/hmac.ts";
import { logger } from "#shared/kernel/logger.ts";
import {
  headerOf,
  isFor,
  type OpenOrder,
  type OrderToOpen,
  type PaymentProvider,
  type PriceLimits,
  type ProviderPayment,
  providerRefused,
  providerUnavailable,
  type RefundAnswer,
  type RefundToMake,
} from "./provider.ts";
import { RazorpayClient, type RazorpayCredentials, RazorpayError } from "./razorpay-client.ts";
import { readRazorpayEvent } from "./razorpay-event.ts";
import { razorpayHistory } from "./razorpay-history.ts";
import { type RazorpayPayment, razorpayPayment, razorpayRefund, toPayment } from "./razorpay-payment.ts";
import { assertSigned, paymentMessage } from "./signature.ts";

/** The fields of an order that are used here; https://razorpay.com/docs/api/orders/ */
const razorpayOrder = object({
  id: providerId(),
  amount: Joi.number().integer(),
  currency: Joi.string(),
  receipt: nullable(Joi.string()),
});
type RazorpayOrder = Infer<typeof razorpayOrder>;

const collectionOf = <Item extends Joi.ObjectSchema>(item: Item) => object({ items: listOf(item) });

/** Timeout of one response of Razorpay, while a user waits to pay. */
const usualTimeoutMs = 8000;

/**
 * Razorpay by its REST API. Whether an account captures reserved money by itself is a setting of the account, so we
 * don't rely on it: `capturePayment` captures what is still reserved.
 */
export function makeRazorpay(credentials: RazorpayCredentials, timeoutMs = usualTimeoutMs): PaymentProvider {
  const client = new RazorpayClient(credentials, timeoutMs);
  return {
    name: "razorpay",
    limitsIn,
    openOrder: (order, again) =>
      orUnavailable(async () => ({ providerOrderId: await openOrder(client, order, again), checkoutUrl: null })),
    payloadOf: ({ providerOrderId, amount, currency, title }) => ({
      provider: "razorpay",
      order_id: providerOrderId,
      amount,
      currency,
      description: title,
      key: credentials.keyId,
    }),
    hasSigned: (orderId, paymentId, signature) =>
      isSigned(credentials.keySecrets, paymentMessage(orderId, paymentId), signature),
    capturePayment: (paymentId, order) =>
      orUnavailable(async () => {
        const payment = await findPayment(client, paymentId);
        return payment && captureReserved(client, payment, order);
      }),
    capturePaymentsOf: (order) =>
      orUnavailable(async () => {
        const { items } = await client.get(`/orders/${order.providerOrderId}/payments`, collectionOf(razorpayPayment));
        return Promise.all(items.map((payment) => captureReserved(client, payment, order)));
      }),
    refundPayment: (paymentId, refund) => orUnavailable(() => refundOnce(client, paymentId, refund)),
    parseWebhook: (body, headers) => {
      assertSigned(credentials.webhookSecrets, body, headerOf(headers, "x-razorpay-signature"));
      return { id: headerOf(headers, "x-razorpay-event-id"), ...readRazorpayEvent(body) };
    },
    history: razorpayHistory(client),
  };
}

/** An unexpected rejection is the fault of our account or our code: it is logged, and the caller may try again. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RazorpayError)) throw error;
    logger.error({ err: error }, "Razorpay rejected a request");
    throw providerUnavailable();
  }
}

/** The least amounts that Razorpay documents, minor units. */
const leastAmounts: Readonly<Record<string, number>> = { INR: 100, MYR: 100, USD: 100 };

/** The last of three decimals must be 0. */
function limitsIn(currency: string): PriceLimits {
  const { maximumFractionDigits: decimals } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return { min: leastAmounts[currency] ?? 1, step: decimals === 3 ? 10 : 1 };
}

/** Razorpay has no idempotency keys for orders; the receipt, our order's id, finds one whose response was lost. */
async function openOrder(client: RazorpayClient, order: OrderToOpen, again: boolean): Promise<string> {
  const { id: receipt, amount, currency } = order;
  const isOurs = (one: RazorpayOrder) => one.receipt === receipt && one.amount === amount && one.currency === currency;
  if (again) {
    const { items } = await client.get(`/orders?receipt=${receipt}`, collectionOf(razorpayOrder));
    const existing = items.find(isOurs);
    if (existing) return existing.id;
  }
  const created = await client.post("/orders", { amount, currency, receipt }, razorpayOrder).catch((error: unknown) => {
    if (!(error instanceof RazorpayError) || error.status !== 400) throw error;
    logger.error({ err: error, order: receipt, amount, currency }, "Razorpay rejected an order");
    throw providerRefused();
  });
  if (isOurs(created)) return created.id;
  logger.error({ receipt }, "Razorpay created a different order than requested");
  throw providerUnavailable();
}

async function findPayment(client: RazorpayClient, id: string): Promise<RazorpayPayment | undefined> {
  try {
    return await client.get(`/payments/${id}`, razorpayPayment);
  } catch (error) {
    // "The id provided does not exist" is a 400 there.
    if (error instanceof RazorpayError && (error.status === 400 || error.status === 404)) return undefined;
    throw error;
  }
}

/** Captures reserved money, if the payment matches the order. */
async function captureReserved(
  client: RazorpayClient,
  payment: RazorpayPayment,
  order: OpenOrder,
): Promise<ProviderPayment> {
  const { id, amount, currency } = payment;
  if (payment.status !== "authorized" || !isFor(order, toPayment(payment))) return toPayment(payment);
  try {
    return toPayment(await client.post(`/payments/${id}/capture`, { amount, currency }, razorpayPayment));
  } catch (error) {
    if (!(error instanceof RazorpayError)) throw error;
    // It was captured meanwhile, or has failed; its status says which.
    return toPayment((await findPayment(client, id)) ?? payment);
  }
}

const toAnswer = ({ id, amount, status }: Infer<typeof razorpayRefund>): RefundAnswer => {
  if (status === "processed") return { status: "processed", refund: { id, amount } };
  return status === "failed" ? { status: "rejected", why: "The refund failed." } : { status: "pending" };
};

/**
 * Razorpay knows a refund by the header, but not forever; the receipt finds one that was made longer ago, whose
 * repetition is rejected because nothing is left to refund.
 */
async function refundOnce(
  client: RazorpayClient,
  paymentId: string,
  { key, amount }: RefundToMake,
): Promise<RefundAnswer> {
  const path = `/payments/${paymentId}/refund`;
  try {
    const body = { amount, receipt: key };
    const made = await client.post(path, body, razorpayRefund, { "x-refund-idempotency": key });
    // A repeated request gets the first answer, so the refund itself tells what became of it.
    return toAnswer(made.status === "pending" ? await client.get(`${path}s/${made.id}`, razorpayRefund) : made);
  } catch (error) {
    // 409: the first request is still being processed.
    if (!(error instanceof RazorpayError) || error.status !== 400) throw error;
    const { items } = await client.get(`${path}s?count=100`, collectionOf(razorpayRefund));
    const made = items.find(({ receipt }) => receipt === key);
    return made ? toAnswer(made) : { status: "rejected", why: error.message };
  }
}
