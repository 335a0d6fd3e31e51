import { randomBytes } from "node:crypto";
import { query } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";
import { isSigned, sign } from "#shared/kernel/hmac.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";
import {
  type HistoryEntry,
  headerOf,
  type PaymentProvider,
  type ProviderHistory,
  type ProviderPayment,
} from "./provider.ts";
import { readRazorpayEvent } from "./razorpay-event.ts";
import { assertSigned, paymentMessage } from "./signature.ts";

/** The first of each signs; all are accepted. */
export interface SandboxSecrets {
  readonly keySecrets: readonly string[];
  readonly webhookSecrets: readonly string[];
}

/** Anyone who knows the ID of an order can pay it, so it must be impossible to guess. */
export const newSandboxId = (kind: "order" | "pay" | "rfnd"): string => `${kind}_sbx${randomBytes(16).toString("hex")}`;

/** Returns the path of an order's payment page, below the service's own address. */
export const checkoutPath = (sandboxOrderId: string): string => `/sandbox/checkout/${sandboxOrderId}`;

export interface SandboxPaymentRow {
  id: string;
  order_id: string;
  amount: number;
  currency: string;
  status: "captured" | "failed" | "refunded";
  refund_id: string | null;
  created_at: string;
}

export const selectPayments = `SELECT p.*, o.amount, o.currency
  FROM sandbox_payments p JOIN sandbox_orders o ON o.id = p.order_id`;

export const toProviderPayment = ({ id, order_id, amount, currency, status }: SandboxPaymentRow): ProviderPayment => ({
  id,
  orderId: order_id,
  amount,
  currency,
  captured: status !== "failed",
});

/** The sandbox's books. A refund is of the day of its payment. */
const sandboxHistory: ProviderHistory = {
  async *historyOf(day) {
    for (
      let rows: SandboxPaymentRow[] = [], after: string | undefined = "";
      after !== undefined;
      after = rows.at(-1)?.id
    ) {
      rows = await query<SandboxPaymentRow>(
        `${selectPayments} WHERE p.created_at >= $1::date AT TIME ZONE 'UTC'
           AND p.created_at < ($1::date + 1) AT TIME ZONE 'UTC' AND p.id > $2 ORDER BY p.id LIMIT 100`,
        [day, after],
      );
      yield rows.flatMap(toEntries);
    }
  },
  entryOf: async ({ kind, id, paymentId }) => {
    const rows = await query<SandboxPaymentRow>(`${selectPayments} WHERE p.id = $1`, [paymentId]);
    return rows.flatMap(toEntries).find((one) => one.kind === kind && one.id === id);
  },
};

function toEntries({ id, order_id, amount, currency, status, refund_id }: SandboxPaymentRow): HistoryEntry[] {
  const common = { paymentId: id, providerOrderId: order_id, orderId: null, amount, currency };
  const payment: HistoryEntry = { kind: "payment", id, ...common, stands: status !== "failed" };
  return refund_id ? [payment, { kind: "refund", id: refund_id, ...common, stands: true }] : [payment];
}

/** The sandbox, with its provider's side. */
export interface Sandbox extends PaymentProvider {
  signPayment(sandboxOrderId: string, paymentId: string): string;
  signWebhook(body: string): string;
}

/**
 * Our own provider, which takes no money: users pay on a page of ours, and it is trusted. Its books are separate
 * tables, which only the sandbox reads.
 */
export function makeSandbox({ keySecrets, webhookSecrets }: SandboxSecrets): Sandbox {
  return {
    name: "sandbox",
    limitsIn: () => ({ min: 1, step: 1 }),
    openOrder: async ({ id, amount, currency, title }) => {
      const opened = await alone<{ id: string }>(
        `INSERT INTO sandbox_orders (id, receipt, amount, currency, title) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (receipt) DO UPDATE SET receipt = EXCLUDED.receipt RETURNING id`,
        [newSandboxId("order"), id, amount, currency, title],
      ).then(([row]) => row);
      return { providerOrderId: opened!.id, checkoutUrl: null };
    },
    payloadOf: ({ providerOrderId, amount, currency, title }) => ({
      provider: "sandbox",
      order_id: providerOrderId,
      amount,
      currency,
      description: title,
      checkout_url: `${publicAddress()}${checkoutPath(providerOrderId)}`,
    }),
    hasSigned: (orderId, paymentId, signature) => isSigned(keySecrets, paymentMessage(orderId, paymentId), signature),
    capturePayment: async (paymentId) => {
      const [row] = await query<SandboxPaymentRow>(`${selectPayments} WHERE p.id = $1`, [paymentId]);
      return row && toProviderPayment(row);
    },
    capturePaymentsOf: async ({ providerOrderId }) => {
      const rows = await query<SandboxPaymentRow>(`${selectPayments} WHERE p.order_id = $1`, [providerOrderId]);
      return rows.map(toProviderPayment);
    },
    // Each payment is refunded at most once, and in full.
    refundPayment: async (paymentId) => {
      const [row] = await alone<{ refund_id: string; amount: number }>(
        `UPDATE sandbox_payments p SET status = 'refunded', refund_id = coalesce(p.refund_id, $2)
         FROM sandbox_orders o WHERE o.id = p.order_id AND p.id = $1 AND p.status <> 'failed'
         RETURNING p.refund_id, o.amount`,
        [paymentId, newSandboxId("rfnd")],
      );
      if (!row) return { status: "rejected", why: "The sandbox has no such payment." };
      return { status: "processed", refund: { id: row.refund_id, amount: row.amount } };
    },
    // The sandbox's webhooks have the form of Razorpay's.
    parseWebhook: (body, headers) => {
      assertSigned(webhookSecrets, body, headerOf(headers, "x-sandbox-signature"));
      return { id: headerOf(headers, "x-sandbox-event-id"), ...readRazorpayEvent(body) };
    },
    history: sandboxHistory,
    signPayment: (orderId, paymentId) => sign(keySecrets[0]!, paymentMessage(orderId, paymentId)),
    signWebhook: (body) => sign(webhookSecrets[0]!, body),
  };
}
