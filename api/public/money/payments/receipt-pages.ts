import { Router } from "express";
import { isReceiptLink, receiptPath } from "#shared/domain/money/payments/receipt-link.ts";
import { findReceipt, type PrintedReceipt } from "#shared/domain/money/payments/receipts.queries.ts";
import { isId } from "#shared/kernel/ids.ts";
import type { Locals } from "../../../http/respond.ts";
import { type Html, html } from "../../../web/html.ts";
import { barePage } from "../../../web/layout.ts";
import { moneyText } from "../../../web/money-text.ts";
import { latinDigits, type Printed, sendPdf } from "../../../web/pdf.ts";
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
    const words = await wordsOf(res);
    if (req.query.format === "pdf") return sendPdf(res, printedReceipt(words, found));
    sendPage(res, 200, receiptPage(words, found));
  });
  return router;
}

const headings = ({ t }: Words): Record<PrintedReceipt["kind"], string> => ({
  receipt: t("Receipt"),
  credit_note: t("Credit note"),
  debit_note: t("Debit note"),
});

type Facts = (readonly [name: string, value: string])[];

/** What is said of a receipt before its price. `locale`: also says with which digits. */
function factsOf({ t, language }: Words, receipt: PrintedReceipt, locale: string = language): Facts {
  const { kind, number, buyer, country } = receipt;
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });
  const facts: (readonly [string, string | null])[] = [
    [t("Number"), number],
    [t("Date"), date.format(new Date(receipt.created_at))],
    [t("Changes receipt"), kind === "receipt" ? null : receipt.receipt_number],
    [t("Buyer"), buyer],
    [t("Country"), country && (new Intl.DisplayNames(language, { type: "region" }).of(country) ?? country)],
    [t("Order"), receipt.order_id],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

/** The price without tax, the tax, and both. */
function totalsOf({ t, language }: Words, receipt: PrintedReceipt, locale: string = language): Facts {
  const { tax_rate, currency, net, tax, gross } = receipt;
  const amount = (value: number) => moneyText(locale, value, currency);
  const rate = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });
  const taxes: Facts =
    tax_rate === null
      ? []
      : [
          [t("Without tax"), amount(net)],
          [t("Tax, {{rate}}", { rate: rate.format(tax_rate / 10_000) }), amount(tax)],
        ];
  return [...taxes, [t("Total"), amount(gross)]];
}

function receiptPage(words: Words, receipt: PrintedReceipt): string {
  const { t, language } = words;
  const heading = headings(words)[receipt.kind];
  const price = moneyText(language, receipt.gross, receipt.currency);
  const main = html`<main class="receipt">
<header><h1>${heading}</h1>
${sellerOf(words, receipt)}</header>
<dl>${factsOf(words, receipt).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>\n`)}</dl>
<table>
<thead><tr><th scope="col">${t("Item")}</th><th scope="col">${t("Amount")}</th></tr></thead>
<tbody><tr><td><bdi>${receipt.title}</bdi></td><td>${price}</td></tr></tbody>
<tfoot>${totalsOf(words, receipt).map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</tfoot>
</table>
${receipt.tax_rate === null ? html`<p>${t("The store has sold this. Its own receipt states the tax.")}</p>` : ""}
</main>`;
  return barePage(words, `${heading} ${receipt.number}`, "/docs/assets/receipt.css", main);
}

function printedReceipt(words: Words, receipt: PrintedReceipt): Printed {
  const { t, language } = words;
  const locale = latinDigits(language);
  const { seller_name, seller_address, seller_tax_id, number, tax_rate } = receipt;
  const taxNumber = seller_tax_id && t("Tax number: {{number}}", { number: seller_tax_id });
  return {
    fileName: number.replace(/[^\w-]/g, "-"),
    language,
    heading: `${headings(words)[receipt.kind]} ${number}`,
    issuer: [seller_name, seller_address, taxNumber].filter(Boolean).join("\n"),
    facts: factsOf(words, receipt, locale),
    columns: [
      { title: t("Item"), share: 5 },
      { title: t("Amount"), share: 2, isEnd: true },
    ],
    rows: [[receipt.title, moneyText(locale, receipt.gross, receipt.currency)], ...totalsOf(words, receipt, locale)],
    ...(tax_rate === null && { note: t("The store has sold this. Its own receipt states the tax.") }),
  };
}

const sellerOf = ({ t }: Words, { seller_name, seller_address, seller_tax_id }: PrintedReceipt): Html =>
  html`<address><strong>${seller_name}</strong>${seller_address ? html`\n${seller_address}` : ""}${
    seller_tax_id ? html`\n${t("Tax number: {{number}}", { number: seller_tax_id })}` : ""
  }</address>`;
