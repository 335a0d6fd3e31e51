import type { Statement } from "#shared/contracts/views.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import type { StatementAccount } from "#shared/domain/operations/statements/statement-accounts.ts";
import { latinDigits, type Printed } from "../../../web/pdf.ts";
import type { Words } from "../../../web/words.ts";

/** What a statement says to its reader, on a page and in a PDF. */

export const titleOfStatement = ({ t }: Words, { name }: StatementAccount, period: string): string =>
  t("Statement of {{name}}, {{period}}", { name: name ?? t("Stock of coins"), period });

/** Returns what writes an amount of a statement: earnings, or coins of stock. */
export function amountTextOf(language: string, { asset }: Statement): (amount: number) => string {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 4 });
  return (amount) => number.format(asset === stock ? amount / stockUnit : amount);
}

type Totals = readonly (readonly [name: string, amount: number])[];

/** Returns the totals before and after the lines. An agency has no balances. */
export function totalsOf(
  { t }: Words,
  { opening_balance, closing_balance, credits, debits, asset }: Statement,
): { opening: Totals; closing: Totals } {
  const balance = (name: string, amount: number | null): Totals => (amount === null ? [] : [[name, amount]]);
  return {
    opening: balance(t("Opening balance"), opening_balance),
    closing: [
      [asset === stock ? t("Received") : t("Earned"), credits],
      [t("Taken"), debits],
      ...balance(t("Closing balance"), closing_balance),
    ],
  };
}

export const issuerOfStatement = (): string => setting("seller_name") || setting("app_name");

/** What follows the lines if some entries aren't among them. */
export const noteOf = ({ t }: Words, { pending }: Statement): string | undefined =>
  pending > 0
    ? t("{{count}} entries of the last hour aren't confirmed yet, and not in this statement.", {
        count: String(pending),
      })
    : undefined;

/** Returns a statement as it is printed. Times are in UTC. */
export function printedStatement(words: Words, account: StatementAccount, statement: Statement): Printed {
  const { t, language } = words;
  const number = amountTextOf(latinDigits(language), statement);
  const hasBalance = statement.closing_balance !== null;
  const { opening, closing } = totalsOf(words, statement);
  const isEnd = true;
  const note = noteOf(words, statement);
  const total = ([name, amount]: Totals[number]) => [name, "", ...(hasBalance ? [""] : []), number(amount)];
  return {
    fileName: `statement-${statement.period}`,
    language,
    heading: titleOfStatement(words, account, statement.period),
    issuer: issuerOfStatement(),
    facts: [],
    columns: [
      { title: `${t("Date")} (UTC)`, share: 2 },
      { title: t("For"), share: 5 },
      { title: t("Amount"), share: 2, isEnd },
      ...(hasBalance ? [{ title: t("Balance"), share: 2, isEnd }] : []),
    ],
    rows: [
      ...opening.map(total),
      ...statement.lines.map(({ created_at, type, reference, direction, amount, balance_after }) => [
        created_at.slice(0, 16).replace("T", " "),
        `${type.replaceAll("_", " ")}\n${reference.id}`,
        `${direction === "debit" ? "−" : ""}${number(amount)}`,
        ...(hasBalance ? [number(balance_after ?? 0)] : []),
      ]),
      ...closing.map(total),
    ],
    ...(note !== undefined && { note }),
  };
}
