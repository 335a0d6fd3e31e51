import type { SandboxOrder } from "#shared/domain/money/payments/providers/sandbox-payments.ts";
import { type Html, html } from "../../../web/html.ts";
import { barePage } from "../../../web/layout.ts";
import { moneyText } from "../../../web/money-text.ts";
import type { Words } from "../../../web/words.ts";

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

const statusText = ({ t }: Words): Record<SandboxOrder["status"], string> => ({
  created: t("Waiting for payment"),
  paid: t("Paid"),
  failed: t("Payment failed"),
  expired: t("Expired (payments are still accepted)"),
  refunded: t("Refunded"),
});

/** Returns the sandbox's checkout page. It needs no script: each button is a form. */
export function sandboxPage(words: Words, { order, proof, webhook }: SandboxPage): string {
  const { t, language } = words;
  const state = order.payment?.status;
  const main = html`<main class="checkout">
<p class="notice">${t("Sandbox: no real money is charged.")}</p>
<h1>${order.title}</h1>
<p class="price">${moneyText(language, order.amount, order.currency)}</p>
<p class="state" data-status="${order.status}" role="status">${statusText(words)[order.status]}</p>
${webhookNote(words, webhook)}
<div class="buttons">
${state === "captured" || state === "refunded" ? [] : [button("pay", t("Pay"), "primary"), button("decline", t("Decline"))]}
${state === "captured" ? [button("refund", t("Refund"))] : []}
${state ? [button("resend", t("Resend webhook"), "plain")] : []}
</div>
${proof ? proofList(words, proof) : []}
<p class="quiet">${t("Order {{id}}", { id: order.id })}</p>
</main>`;
  return barePage(
    words,
    t("{{title}} · Sandbox checkout", { title: order.title }),
    "/sandbox/assets/checkout.css",
    main,
  );
}

const button = (action: string, label: string, kind = ""): Html =>
  html`<form method="post"><button name="action" value="${action}" class="${kind}">${label}</button></form>\n`;

function webhookNote({ t }: Words, webhook: string | undefined): Html[] {
  if (webhook === undefined) return [];
  if (webhook === "none") return [html`<p class="note bad">${t("The webhook got no response.")}</p>`];
  const text = t("The webhook returned {{status}}.", { status: webhook });
  return [html`<p class="note ${webhook === "200" ? "" : "bad"}">${text}</p>`];
}

const proofList = ({ t }: Words, proof: ShownProof): Html => html`<section>
<h2>${t("Payment result")}</h2>
<p>${t("A real provider returns these values to the client, which sends them to this operation:")}
<code>POST /api/v1/payments/verify</code></p>
<dl class="proof">${Object.entries(proof).map(([name, value]) => html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>\n`)}</dl>
</section>`;
