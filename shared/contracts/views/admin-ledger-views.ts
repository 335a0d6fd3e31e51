import Joi from "joi";
import { extended } from "#shared/kernel/extended.ts";
import { exampleIds, exampleTime } from "../examples.ts";
import { count, type Infer, id, nullable, object, oneOf, text, time } from "../fields.ts";
import { ledgerTypes } from "./coin-views.ts";

const ours = {
  ...{ issue: true, gift_revenue: true, store_revenue: true, debt: true, exchange: true },
  ...{ payouts_held: true, payouts_sent: true, paid_out: true },
};
export const houseAccounts = Object.keys(extended("houses", ours)) as (keyof typeof ours)[];

/** An entry of the ledger as administrators see it: of a user's wallet, or of an account of the house. */
export const ledgerRecord = object({
  id: id(exampleIds.ledgerEntry),
  transaction_id: id(exampleIds.ledgerEntry).description("The entries of a ledger transaction add up to zero."),
  user_id: nullable(id(exampleIds.ada)).description("Null: an account of the house."),
  house: nullable(oneOf(...houseAccounts))
    .description("Null: a user's wallet.")
    .example(null),
  type: oneOf(...ledgerTypes).example("gift_sent"),
  asset: oneOf("coins", "earnings"),
  direction: oneOf("credit", "debit").example("debit"),
  amount: count(30),
  bought: count(30).description("How many of the coins were bought. Only these earn."),
  balance_after: nullable(count(370)).description("Null: an account of the house."),
  reference_type: Joi.string().example("gift_transaction"),
  reference_id: id(exampleIds.giftTransaction),
  description: text(0, 200, "Rose × 3"),
  principal_kind: nullable(oneOf("user", "admin", "key_holder", "service")).description("Who moved the coins."),
  principal_id: nullable(id(exampleIds.ada)),
  created_at: time(exampleTime(exampleIds.ledgerEntry)),
}).meta({ name: "LedgerRecord" });
export type LedgerRecord = Infer<typeof ledgerRecord>;
