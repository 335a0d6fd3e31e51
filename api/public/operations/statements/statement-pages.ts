import { Router } from "express";
import type { Statement } from "#shared/contracts/views.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { isStatementLink, statementPath } from "#shared/domain/operations/statements/statement-link.ts";
import { getStatement } from "#shared/domain/operations/statements/statements.queries.ts";
import { isId } from "#shared/kernel/ids.ts";
import { CsvDownload, sendCsv } from "../../../http/csv-download.ts";
import type { Locals } from "../../../http/respond.ts";
import { html } from "../../../web/html.ts";
import { barePage } from "../../../web/layout.ts";
import { sendPage } from "../../../web/send-page.ts";
import { type Words, wordsOf } from "../../../web/words.ts";

/**
 * Returns a router for the statements at `page_url`: pages to print in the language of their reader, and CSV. A link
 * that isn't ours, or no longer works, gets the page of addresses that aren't found.
 */
export function statementPages(): Router {
  const router = Router();
  router.get(statementPath(), async (req, res, next) => {
    (res.locals as Locals).route = statementPath();
    const { user, period, until, signature } = req.params as Record<string, string>;
    if (!isId(user!) || !isStatementLink(user!, period!, until!, signature!)) return next();
    res.set("Referrer-Policy", "no-referrer");
    const statement = await getStatement(user!, period!);
    if (req.query.format === "csv") return sendCsv(res, csvOf(statement));
    sendPage(res, 200, statementPage(await wordsOf(res), statement));
  });
  return router;
}

const columns = [
  "entry_no",
  "created_at",
  "type",
  "direction",
  "amount",
  "balance_after",
  "reference_type",
  "reference_id",
];

function csvOf({ period, lines }: Statement): CsvDownload {
  async function* rows() {
    for (const { reference, ...line } of lines)
      yield { ...line, reference_type: reference.type, reference_id: reference.id };
  }
  return new CsvDownload({ fileName: `statement-${period}`, columns: [...columns, "id"] }, rows());
}

function statementPage(words: Words, statement: Statement): string {
  const { t, language } = words;
  const number = new Intl.NumberFormat(language);
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  const heading = t("Statement of {{name}}, {{period}}", { name: setting("earnings_name"), period: statement.period });
  const total = (name: string, amount: number, to = "") =>
    html`<tr class="${to}"><th scope="row" colspan="3">${name}</th><td>${number.format(amount)}</td></tr>\n`;
  const main = html`<main class="receipt">
<header><h1>${heading}</h1>
<address><strong>${setting("seller_name") || setting("app_name")}</strong></address></header>
<table>
<thead><tr><th scope="col">${t("Date")}</th><th scope="col">${t("For")}</th><th scope="col">${t("Amount")}</th><th scope="col">${t("Balance")}</th></tr></thead>
<tbody>${total(t("Opening balance"), statement.opening_balance)}${statement.lines.map(
    ({
      created_at,
      type,
      reference,
      direction,
      amount,
      balance_after,
    }) => html`<tr><td>${date.format(new Date(created_at))}</td>
<td><bdi>${type.replaceAll("_", " ")}</bdi><br><small><bdi>${reference.id}</bdi></small></td>
<td>${direction === "debit" ? "−" : ""}${number.format(amount)}</td><td>${number.format(balance_after)}</td></tr>\n`,
  )}</tbody>
<tfoot>${total(t("Earned"), statement.credits)}${total(t("Taken"), statement.debits)}${total(t("Closing balance"), statement.closing_balance, "total")}</tfoot>
</table>
${statement.pending > 0 ? html`<p>${t("{{count}} entries of the last hour aren't confirmed yet, and not in this statement.", { count: String(statement.pending) })}</p>` : ""}
</main>`;
  return barePage(words, heading, "/docs/assets/receipt.css", main);
}
