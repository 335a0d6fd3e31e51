import { type Response, Router } from "express";
import type { Statement } from "#shared/contracts/views.ts";
import { stock } from "#shared/domain/money/ledger/assets.ts";
import {
  type StatementAccount,
  type StatementKind,
  statementAccount,
} from "#shared/domain/operations/statements/statement-accounts.ts";
import { isStatementLink, statementPath } from "#shared/domain/operations/statements/statement-link.ts";
import { getStatement } from "#shared/domain/operations/statements/statements.queries.ts";
import { formatDecimal } from "#shared/kernel/decimal.ts";
import { isId } from "#shared/kernel/ids.ts";
import { CsvDownload, sendCsv } from "../../../http/csv-download.ts";
import type { Locals } from "../../../http/respond.ts";
import { html } from "../../../web/html.ts";
import { barePage } from "../../../web/layout.ts";
import { sendPdf } from "../../../web/pdf.ts";
import { sendPage } from "../../../web/send-page.ts";
import { type Words, wordsOf } from "../../../web/words.ts";
import {
  amountTextOf,
  issuerOfStatement,
  noteOf,
  printedStatement,
  titleOfStatement,
  totalsOf,
} from "./statement-words.ts";

type Linked = { kind: StatementKind; id: string; period: string; until: string; signature: string };

/**
 * Returns a router for the statements at `page_url`: pages to print in the language of their reader, and files. A link
 * that isn't ours, or no longer works, gets the page of addresses that aren't found.
 */
export function statementPages(): Router {
  const router = Router();
  router.get(statementPath(), async (req, res, next) => {
    (res.locals as Locals).route = statementPath();
    const { signature, ...linked } = req.params as Linked;
    if (!isId(linked.id) || !isStatementLink(linked, signature)) return next();
    res.set("Referrer-Policy", "no-referrer");
    const account = await statementAccount(linked.kind, linked.id);
    await send(res, req.query.format, account, await getStatement(account, linked.period));
  });
  return router;
}

async function send(res: Response, format: unknown, account: StatementAccount, statement: Statement) {
  if (format === "csv") return sendCsv(res, csvOf(statement));
  if (format === "json") {
    res.set("Content-Disposition", `attachment; filename="statement-${statement.period}.json"`);
    return res.set("Cache-Control", "no-store").json(statement);
  }
  if (format === "pdf") return sendPdf(res, printedStatement(await wordsOf(res), account, statement));
  sendPage(res, 200, statementPage(await wordsOf(res), account, statement));
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

/** Stock in coins. */
function csvOf({ period, asset, lines }: Statement): CsvDownload {
  const inCoins = (amount: number | null) =>
    amount === null || asset !== stock ? amount : formatDecimal(BigInt(amount));
  async function* rows() {
    for (const { reference, amount, balance_after, ...line } of lines)
      yield {
        ...line,
        amount: inCoins(amount),
        balance_after: inCoins(balance_after),
        reference_type: reference.type,
        reference_id: reference.id,
      };
  }
  return new CsvDownload({ fileName: `statement-${period}`, columns: [...columns, "id"] }, rows());
}

function statementPage(words: Words, account: StatementAccount, statement: Statement): string {
  const { t, language } = words;
  const number = amountTextOf(language, statement);
  const note = noteOf(words, statement);
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  const heading = titleOfStatement(words, account, statement.period);
  const hasBalance = statement.closing_balance !== null;
  const total = ([name, amount]: readonly [string, number]) =>
    html`<tr><th scope="row" colspan="${hasBalance ? "3" : "2"}">${name}</th><td>${number(amount)}</td></tr>\n`;
  const { opening, closing } = totalsOf(words, statement);
  const main = html`<main class="receipt">
<header><h1>${heading}</h1>
<address><strong>${issuerOfStatement()}</strong></address></header>
<table>
<thead><tr><th scope="col">${t("Date")}</th><th scope="col">${t("For")}</th><th scope="col">${t("Amount")}</th>${
    hasBalance ? html`<th scope="col">${t("Balance")}</th>` : ""
  }</tr></thead>
<tbody>${opening.map(total)}${statement.lines.map(
    ({
      created_at,
      type,
      reference,
      direction,
      amount,
      balance_after,
    }) => html`<tr><td>${date.format(new Date(created_at))}</td>
<td><bdi>${type.replaceAll("_", " ")}</bdi><br><small><bdi>${reference.id}</bdi></small></td>
<td>${direction === "debit" ? "−" : ""}${number(amount)}</td>${
      hasBalance ? html`<td>${number(balance_after ?? 0)}</td>` : ""
    }</tr>\n`,
  )}</tbody>
<tfoot>${closing.map(total)}</tfoot>
</table>
${note === undefined ? "" : html`<p>${note}</p>`}
</main>`;
  return barePage(words, heading, "/docs/assets/receipt.css", main);
}
