import type { Statement } from "#shared/contracts/views.ts";
import { stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import type { StatementAccount } from "#shared/domain/operations/statements/statement-accounts.ts";
import type { Words } from "../../../web/words.ts";

/** What a statement says to its reader, on a page and in a PDF. */

export const titleOfStatement = ({ t }: Words, { name }: StatementAccount, period: string): string =>
  t("Statement of {{name}}, {{period}}", { name: name ?? t("Stock of coins"), period });

/** Returns what writes an amount of a statement: earnings, or coins of stock. */
export function amountTextOf({ language }: Words, { asset }: Statement): (amount: number) => string {
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
