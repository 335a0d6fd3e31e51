import Joi from "joi";
import { idMax, instant } from "./catalogue-fields.ts";
import { exampleIds } from "./examples.ts";
import { count, type Infer, id, integer, line, listOf, nullable, object, oneOf } from "./fields.ts";
import { moneyTypes, orderStatuses, providerPayload } from "./views.ts";

/** Prepaid balances, as resellers see them. Amounts are numerals, exact, with the decimal places of their currency. */

export const currencyCode = () =>
  Joi.string()
    .pattern(/^[A-Z]{3}$/, "an ISO 4217 currency code")
    .example("USD");
/** An amount of money: `12.50`. */
export const decimal = (example: string) =>
  Joi.string()
    .pattern(/^\d{1,12}(\.\d{1,4})?$/, "a decimal such as 12.50")
    .example(example);

export const balance = object({
  currency: currencyCode(),
  currency_symbol: Joi.string().example("$"),
  balance: decimal("41.01"),
  debt: decimal("0.00").description(
    "What you owe: money of a refunded deposit that was already spent. Your next deposits pay it first.",
  ),
  credit_limit: decimal("500.00").description("The total of unpaid orders that you may have; the rest is prepaid."),
  due: decimal("17.98").description("The total of your orders on credit that aren't paid yet."),
  overdue: decimal("0.00").description(
    "The part of `due` that should have been paid. It blocks further orders until your balance covers it.",
  ),
}).meta({ name: "Balance" });
export type Balance = Infer<typeof balance>;

export const balanceMovement = object({
  id: id(exampleIds.ledgerEntry),
  type: oneOf(...moneyTypes).example("catalogue_order"),
  direction: oneOf("credit", "debit").example("debit"),
  currency: currencyCode(),
  amount: decimal("8.99"),
  balance_after: decimal("41.01"),
  order_id: nullable(integer(1, idMax, 1)).description("The order that was paid or refunded."),
  description: line(1, 200, "Order 1"),
  created_at: instant(),
}).meta({ name: "BalanceMovement" });
export type BalanceMovement = Infer<typeof balanceMovement>;

export const deposit = object({
  id: id(exampleIds.depositOrder),
  status: oneOf(...orderStatuses).description(
    "A `created` deposit becomes `paid` or `failed`, or `expired` after 30 minutes. It still becomes `paid` if a payment arrives later. `refunded`: the payment was refunded in full.",
  ),
  currency: currencyCode(),
  amount: decimal("50.00"),
  created_at: instant(),
  paid_at: nullable(instant()).example(null),
}).meta({ name: "Deposit" });
export type Deposit = Infer<typeof deposit>;

export const depositToPay = object({ deposit, providerPayload }).meta({ name: "DepositToPay" });

export const statement = object({
  month: Joi.string().example("2026-01"),
  time_zone: Joi.string().example("UTC"),
  balances: listOf(
    object({
      currency: currencyCode(),
      opening_balance: decimal("0.00"),
      credits: decimal("50.00"),
      debits: decimal("8.99"),
      closing_balance: decimal("41.01"),
      movements: count(2).description("How many."),
    }).meta({ name: "StatementBalance" }),
  ),
}).meta({ name: "Statement" });
export type Statement = Infer<typeof statement>;

/** The columns of a statement as CSV. */
export const statementColumns = [
  "time",
  "currency",
  "type",
  "description",
  "order_id",
  "credit",
  "debit",
  "balance",
] as const;
