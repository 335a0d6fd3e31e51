import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  extend,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { currency } from "./payment-views.ts";

/** What is written about a purchase for its buyer, and for the tax office. */

export const receiptNumber = () => line(1, 40, "R-2026-000001");

export const receiptNote = object({
  number: receiptNumber(),
  kind: oneOf("receipt", "credit_note", "debit_note").description(
    "`credit_note`: of a refund. `debit_note`: a refund was reversed.",
  ),
  seller_name: line(0, 120, "Hubbub"),
  seller_address: text(0, 300, "1 Main Street, Pune"),
  seller_tax_id: line(0, 40, "27AAAAA0000A1Z5"),
  country: nullable(Joi.string().example("IN")).description("The buyer's, at that time."),
  tax_rate: nullable(integer(0, 9999, 1800)).description(
    "In hundredths of a percent. Null: a store is the seller, whose taxes aren't ours.",
  ),
  net: integer(-1_000_000_000_000, 1_000_000_000_000, 42_288),
  tax: integer(-1_000_000_000_000, 1_000_000_000_000, 7_612),
  gross: integer(-1_000_000_000_000, 1_000_000_000_000, 49_900).description("Negative in credit notes."),
  currency: currency(),
  created_at: time(exampleTime(exampleIds.coinOrder, 75)),
  page_url: url(
    "https://api.example.com/receipts/0198f2af-15c3-7be8-9f76-0a4d8c2e5b91/1769860800/x5Jq2sV0",
  ).description("Its page, to be read and printed, with `?format=pdf` as PDF. It opens without a login, for an hour."),
}).meta({ name: "ReceiptNote" });
export type ReceiptNote = Infer<typeof receiptNote>;

export const receipt = extend(receiptNote, {
  order_id: id(exampleIds.coinOrder),
  title: line(1, 120, "Pouch: 600 coins").description("What was bought."),
  notes: listOf(receiptNote).description("Of refunds and their reversals, the oldest first.").example([]),
}).meta({ name: "Receipt" });
export type Receipt = Infer<typeof receipt>;
