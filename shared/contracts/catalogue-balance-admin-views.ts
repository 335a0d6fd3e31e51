import Joi from "joi";
import { balanceMovement, currencyCode, decimal } from "./catalogue-balance-views.ts";
import { exampleIds, exampleTime } from "./examples.ts";
import { count, extend, type Infer, id, line, nullable, object, oneOf, time } from "./fields.ts";

/** What administrators see of the prepaid balances of resellers. Amounts are numerals, exact. */

const balanceFields = {
  id: id(exampleIds.ledgerEntry),
  user_id: id(exampleIds.ada),
  currency: currencyCode(),
  balance: decimal("41.01"),
  movements: count(2).description("How many."),
  created_at: time(exampleTime(exampleIds.ledgerEntry)),
};
export const balanceItem = object(balanceFields).meta({ name: "BalanceItem" });
export type BalanceItem = Infer<typeof balanceItem>;

export const balanceRecord = object({
  ...balanceFields,
  debt: decimal("0.00").description("Money of refunded deposits that was already spent."),
}).meta({ name: "BalanceRecord" });
export type BalanceRecord = Infer<typeof balanceRecord>;

export const movementRecord = extend(balanceMovement, {
  transaction_id: id(exampleIds.ledgerEntry),
  principal_kind: nullable(oneOf("user", "admin", "key_holder", "service")).description("Who moved the money."),
  principal_id: nullable(id(exampleIds.ada)),
}).meta({ name: "BalanceMovementRecord" });
export type MovementRecord = Infer<typeof movementRecord>;

export const adjustmentStatus = () => oneOf("pending", "approved", "declined", "expired");

export const signedDecimal = (example = "-12.50") =>
  Joi.string()
    .pattern(/^-?\d{1,9}(\.\d{1,4})?$/, "a decimal such as -12.50")
    .example(example)
    .description("A negative amount takes money back.");

export const moneyAdjustment = object({
  id: id(exampleIds.adjustment),
  user_id: id(exampleIds.ada),
  currency: currencyCode(),
  amount: signedDecimal("25.00"),
  reason: line(1, 200, "Compensation for a failed order"),
  status: adjustmentStatus().example("approved"),
  requested_by: id(exampleIds.admin),
  decided_by: nullable(id(exampleIds.admin)).description("Null if no second administrator has decided.").example(null),
  created_at: time(exampleTime(exampleIds.adjustment)),
  decided_at: nullable(time(exampleTime(exampleIds.adjustment))),
  expires_at: nullable(time(exampleTime(exampleIds.adjustment, 259_200)))
    .description("When it expires if it is still pending. Null if it needed no approval.")
    .example(null),
}).meta({ name: "MoneyAdjustment" });
export type MoneyAdjustment = Infer<typeof moneyAdjustment>;
