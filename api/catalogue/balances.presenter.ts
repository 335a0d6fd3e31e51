import type { Balance, BalanceMovement, Deposit, Statement } from "#shared/contracts/catalogue-balance-views.ts";
import type { BalanceRow, DepositRow, MovementRow } from "#shared/domain/catalogue/balances/balances.queries.ts";
import type { Period, StatementRow } from "#shared/domain/catalogue/balances/statements.ts";
import { formatMoney, symbolOf } from "#shared/kernel/decimal.ts";

/** Returns an amount of the ledger as a numeral. */
const numeral = (amount: number, currency: string): string => formatMoney(BigInt(amount), currency);

export const toBalance = ({ currency, ...amounts }: BalanceRow): Balance => ({
  currency,
  currency_symbol: symbolOf(currency),
  balance: numeral(amounts.balance, currency),
  debt: numeral(amounts.debt, currency),
  credit_limit: numeral(amounts.credit_limit, currency),
  due: numeral(amounts.due, currency),
  overdue: numeral(amounts.overdue, currency),
});

export const toMovement = ({ entry_no: _no, amount, balance_after, ...row }: MovementRow): BalanceMovement => ({
  ...row,
  direction: amount > 0 ? "credit" : "debit",
  amount: numeral(Math.abs(amount), row.currency),
  balance_after: numeral(balance_after, row.currency),
});

export const toDeposit = ({ credit, ...row }: DepositRow): Deposit => ({
  ...row,
  amount: numeral(credit, row.currency),
});

export const toStatement = (period: Period, rows: readonly StatementRow[]): Statement => ({
  ...period,
  balances: rows.map(({ currency, opening, credits, debits, movements }) => ({
    currency,
    opening_balance: numeral(opening, currency),
    credits: numeral(credits, currency),
    debits: numeral(debits, currency),
    closing_balance: numeral(opening + credits - debits, currency),
    movements,
  })),
});
