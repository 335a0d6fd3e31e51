import type { SandboxOrder } from "#shared/domain/payments/providers/sandbox-payments.ts";
import { type Html, html } from "../../web/html.ts";
import { barePage } from "../../web/layout.ts";

/** The values that the provider returns to the client, which sends them to `POST /payments/verify`. */
export interface ShownProof {
  readonly payment_provider_order_id: string;
  readonly payment_provider_payment_id: string;
  readonly payment_provider_signature: string;
}

export interface SandboxPage {
  readonly order: SandboxOrder;
  readonly proof: ShownProof | undefined;
  /** HTTP status of the webhook's response; `none` without a response, undefined if no webhook was sent. */
  readonly webhook: string | undefined;
}

const states: Record<SandboxOrder["status"], string> = {
  created: "Waiting for payment",
  paid: "Paid",
  failed: "Payment failed",
  expired: "Expired (payments are still accepted)",
  refunded: "Refunded",
};

/** Returns the sandbox's checkout page. It needs no script: each button is a form. */
export function sandboxPage({ order, proof, webhook }: SandboxPage): string {
  const state = order.payment?.status;
  const main = html`<main class="checkout">
<p class="notice">Sandbox: no real money is charged.</p>
<h1>${order.title}</h1>
<p class="price">${moneyText(order.amount, order.currency)}</p>
<p class="state" data-status="${order.status}" role="status">${states[order.status]}</p>
${webhookNote(webhook)}
<div class="buttons">
${state === "captured" || state === "refunded" ? [] : [button("pay", "Pay", "primary"), button("decline", "Decline")]}
${state === "captured" ? [button("refund", "Refund")] : []}
${state ? [button("resend", "Resend webhook", "plain")] : []}
</div>
${proof ? proofList(proof) : []}
<p class="quiet">Order ${order.id}</p>
</main>`;
  return barePage(`${order.title} · Sandbox checkout`, "/sandbox/assets/checkout.css", main);
}

const button = (action: string, label: string, kind = ""): Html =>
  html`<form method="post"><button name="action" value="${action}" class="${kind}">${label}</button></form>\n`;

function webhookNote(webhook: string | undefined): Html[] {
  if (webhook === undefined) return [];
  if (webhook === "none") return [html`<p class="note bad">The webhook got no response.</p>`];
  return [html`<p class="note ${webhook === "200" ? "" : "bad"}">The webhook returned ${webhook}.</p>`];
}

const proofList = (proof: ShownProof): Html => html`<section>
<h2>Payment result</h2>
<p>A real provider returns these values to the client, which sends them to <code>POST /api/v1/payments/verify</code>.</p>
<dl class="proof">${Object.entries(proof).map(([name, value]) => html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>\n`)}</dl>
</section>`;

/** Formats an amount in the currency's smallest unit. */
function moneyText(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
