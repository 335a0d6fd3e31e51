import { Router } from "express";
import { isReceiptLink, receiptPath } from "#shared/domain/money/payments/receipt-link.ts";
import { findReceipt, type PrintedReceipt } from "#shared/domain/money/payments/receipts.queries.ts";
import { isId } from "#shared/kernel/ids.ts";
import type { Locals } from "../../../http/respond.ts";
import { type Html, html } from "../../../web/html.ts";
import { barePage } from "../../../web/layout.ts";
import { moneyText } from "../../../web/money-text.ts";
import { sendPage } from "../../../web/send-page.ts";
import { type Words, wordsOf } from "../../../web/words.ts";

/**
 * Returns a router for the pages at `page_url` of receipts and notes, in the language of their reader. A link that
 * isn't ours, or no longer works, gets the page of addresses that aren't found.
 */
export function receiptPages(): Router {
  const router = Router();
  router.get(receiptPath(), async (req, res, next) => {
    (res.locals as Locals).route = receiptPath();
    const { id, until, signature } = req.params as { id: string; until: string; signature: string };
    const found = isId(id) && isReceiptLink(id, until, signature) ? await findReceipt(id) : undefined;
    if (!found) return next();
    res.set("Referrer-Policy", "no-referrer");
    sendPage(res, 200, receiptPage(await wordsOf(res), found));
  });
  return router;
}

const headings = ({ t }: Words): Record<PrintedReceipt["kind"], string> => ({
  receipt: t("Receipt"),
  credit_note: t("Credit note"),
  debit_note: t("Debit note"),
});

function receiptPage(words: Words, receipt: PrintedReceipt): string {
  const { t, language } = words;
  const { kind, number, buyer, country, tax_rate, currency } = receipt;
  const heading = headings(words)[kind];
  const amount = (value: number) => moneyText(language, value, currency);
  const date = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  const facts: [string, string | null][] = [
    [t("Number"), number],
    [t("Date"), date.format(new Date(receipt.created_at))],
    [t("Changes receipt"), kind === "receipt" ? null : receipt.receipt_number],
    [t("Buyer"), buyer],
    [t("Country"), country && (new Intl.DisplayNames(language, { type: "region" }).of(country) ?? country)],
    [t("Order"), receipt.order_id],
  ];
  const rate = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 });
  const taxes: [string, number][] =
    tax_rate === null
      ? []
      : [
          [t("Without tax"), receipt.net],
          [t("Tax, {{rate}}", { rate: rate.format(tax_rate / 10_000) }), receipt.tax],
        ];
  const main = html`<main class="receipt">
<header><h1>${heading}</h1>
${sellerOf(words, receipt)}</header>
<dl>${facts.map(([name, value]) => (value ? html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>\n` : html``))}</dl>
<table>
<thead><tr><th scope="col">${t("Item")}</th><th scope="col">${t("Amount")}</th></tr></thead>
<tbody><tr><td><bdi>${receipt.title}</bdi></td><td>${amount(receipt.gross)}</td></tr></tbody>
<tfoot>${taxes.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${amount(value)}</td></tr>\n`)}
<tr><th scope="row">${t("Total")}</th><td>${amount(receipt.gross)}</td></tr></tfoot>
</table>
${tax_rate === null ? html`<p>${t("The store has sold this. Its own receipt states the tax.")}</p>` : ""}
</main>`;
  return barePage(words, `${heading} ${number}`, "/docs/assets/receipt.css", main);
}

const sellerOf = ({ t }: Words, { seller_name, seller_address, seller_tax_id }: PrintedReceipt): Html =>
  html`<address><strong>${seller_name}</strong>${seller_address ? html`\n${seller_address}` : ""}${
    seller_tax_id ? html`\n${t("Tax number: {{number}}", { number: seller_tax_id })}` : ""
  }</address>`;
