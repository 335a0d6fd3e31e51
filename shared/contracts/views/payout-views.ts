import Joi from "joi";
import { exampleIds, exampleTime } from "../examples.ts";
import {
  count,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  type Optional,
  object,
  oneOf,
  optional,
  text,
  time,
} from "../fields.ts";
import { kycLevel } from "./kyc-views.ts";
import { currency, money } from "./payment-views.ts";

/** Views of payouts: earnings that are paid out as money. */

export const payoutStatuses = ["requested", "approved", "sent", "settled", "returned", "declined"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];
export const payoutKinds = ["upi", "bank", "wallet"] as const;
export const payoutProviders = ["sandbox", "razorpayx", "bank_file"] as const;
export type PayoutProviderName = (typeof payoutProviders)[number];
export const payoutFlags = ["amount", "second", "rejected_late", "paid_after_return"] as const;

/** Returns whether an IBAN's check digits are right: ISO 7064, mod 97. */
function isIban(iban: string): boolean {
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`);
  return BigInt(digits) % 97n === 1n;
}

const matching = (pattern: RegExp, name: string, example: string) =>
  Joi.string().pattern(pattern, name).example(example);

/** Where money can be sent, by the names of the fields. */
export const payoutFields = {
  vpa: matching(/^[A-Za-z0-9._-]{2,100}@[A-Za-z][A-Za-z0-9.-]{1,50}$/, "a UPI address", "ada@okaxis"),
  holder_name: line(2, 100, "Ada Lovelace"),
  account_number: matching(/^[0-9A-Za-z]{5,35}$/, "an account number", "50100123456789"),
  ifsc: matching(/^[A-Z]{4}0[A-Z0-9]{6}$/, "an IFSC", "HDFC0000053"),
  iban: matching(/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/, "an IBAN", "DE89370400440532013000").custom(
    (iban: string, helpers) => (isIban(iban) ? iban : helpers.error("string.pattern.name", { name: "an IBAN" })),
  ),
  bic: matching(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, "a BIC", "COBADEFFXXX"),
  routing_number: matching(/^\d{6,9}$/, "a routing number", "026009593"),
  wallet: matching(/^[a-z0-9]{2,30}$/, "a wallet's name", "amazonpay"),
  account: line(3, 100, "+919876543210"),
} as const;
export type PayoutField = keyof typeof payoutFields;
export const payoutFieldNames = Object.keys(payoutFields) as [PayoutField, ...PayoutField[]];
export type PayoutDetails = { readonly [Name in PayoutField]?: string };

const optionalFields = Object.fromEntries(
  payoutFieldNames.map((name) => [name, optional(payoutFields[name])]),
) as unknown as { readonly [Name in PayoutField]: (typeof payoutFields)[Name] & Optional };

export const payoutMethodInput = object({
  kind: oneOf(...payoutKinds),
  ...optionalFields,
})
  .description("The `kind`, and the `fields` of `GET /payouts/methods`.")
  .example({ kind: "upi", vpa: "ada@okaxis" });

export const earningsAmount = (example: number) => integer(1, 1_000_000_000_000, example).description("Earnings.");

/** What managed methods and those that users see have in common. */
export const payoutTerms = {
  kind: oneOf(...payoutKinds),
  fields: listOf(oneOf(...payoutFieldNames)).example(["vpa"]),
  currency: currency(),
  rate: integer(1, 1_000_000_000, 10_000).description("Minor units of the currency for 10,000 earnings."),
  fee_fixed: integer(0, 1_000_000_000, 500).description("Minor units."),
  fee_basis_points: integer(0, 10_000, 100).description("Parts of 10,000, rounded up."),
  min: earningsAmount(1000),
  daily_max: count(0).description("Earnings in a day of `zone`; 0: no limit."),
  monthly_max: count(0).description("Earnings in a month of `zone`; 0: no limit."),
  zone: Joi.string().example("Asia/Kolkata"),
  kyc_level: kycLevel().min(1),
};

export const payoutMethod = object({ id: id(exampleIds.payoutMethod), name: line(1, 60, "UPI"), ...payoutTerms }).meta({
  name: "PayoutMethod",
});
export type PayoutMethod = Infer<typeof payoutMethod>;

/** What users and administrators see of a payout. */
export const payoutFieldsShown = {
  status: oneOf(...payoutStatuses)
    .example("sent")
    .description(
      "`requested`: waits for an administrator. `approved`: is sent soon. `sent`: the provider has it. `settled`: it has arrived. `returned`: it failed or came back, and `declined`: an administrator has declined it; the earnings are yours again.",
    ),
  amount: earningsAmount(50_000),
  currency: currency(),
  fee: count(500).description("Minor units, taken from what is paid."),
  net: money(49_500).description("What you get, in minor units."),
  kind: oneOf(...payoutKinds),
  shown: text(0, 100, "ad•••@okaxis").description("Where to, masked."),
  reference: nullable(Joi.string().example("312345678901")).description("The bank's number of the transfer."),
  failure: nullable(text(0, 300, "Invalid VPA")).description("Why it was returned or declined."),
  approved_at: nullable(time(exampleTime(exampleIds.payout, 3600))),
  sent_at: nullable(time(exampleTime(exampleIds.payout, 3660))),
  ended_at: nullable(time(exampleTime(exampleIds.payout, 3720))),
};

export const payout = object({
  id: id(exampleIds.payout),
  ...payoutFieldsShown,
  created_at: time(exampleTime(exampleIds.payout)),
}).meta({ name: "Payout" });
export type Payout = Infer<typeof payout>;

/** A line of a file for a bank, without where the money goes. */
export const payoutFileLine = object({
  payout_id: id(exampleIds.payout),
  amount: Joi.string().example("495.00").description("In units of the currency."),
  currency: currency(),
  kind: oneOf(...payoutKinds),
}).meta({ name: "PayoutFileLine" });
export type PayoutFileLine = Infer<typeof payoutFileLine>;
