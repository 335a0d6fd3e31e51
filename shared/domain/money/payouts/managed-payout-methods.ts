import { exampleIds } from "#shared/contracts/examples.ts";
import { line, listOf, oneOf, zone } from "#shared/contracts/fields.ts";
import { payoutFieldNames, payoutKinds, payoutProviders, payoutTerms } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { countryCode } from "#shared/domain/identity/users/country-code.ts";
import { isCurrency } from "#shared/kernel/decimal.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";
import { PayoutMethodModel } from "./payout.model.ts";

/** How users can be paid: by which provider, in which countries, and at which rate. */
export const managedPayoutMethods: ManagedResource = {
  resource: "payout_methods",
  name: "payout_method",
  one: "a payout method",
  many: "payout methods",
  model: PayoutMethodModel,
  fields: {
    name: line(1, 60, "UPI, India"),
    ...payoutTerms,
    fields: listOf(oneOf(...payoutFieldNames))
      .min(1)
      .unique()
      .description("What a user has to give.")
      .example(["vpa"]),
    zone: zone("days"),
    countries: listOf(countryCode())
      .max(250)
      .unique()
      .description("Of the users. Empty: all that have no method of this kind of their own."),
    provider: oneOf(...payoutProviders)
      .example("razorpayx")
      .description("`bank_file`: an administrator downloads batches for the bank."),
  },
  defaults: {
    ...{ countries: [], fee_fixed: 0, fee_basis_points: 0, min: 1, daily_max: 0, monthly_max: 0 },
    ...{ zone: "UTC", kyc_level: 1 },
  },
  check: wrongMethod,
  search: ["name"],
  filters: { kind: oneOf(...payoutKinds), provider: oneOf(...payoutProviders) },
  sorts: ["name", "created_at"],
  exampleId: exampleIds.payoutMethod,
};

/** What RazorpayX needs to know of each kind. */
const neededByRazorpay: Readonly<Record<string, readonly string[]>> = {
  upi: ["vpa"],
  bank: ["holder_name", "account_number", "ifsc"],
  wallet: ["holder_name", "wallet", "account"],
};

function wrongMethod(values: Readonly<Record<string, unknown>>): FieldText | undefined {
  const { kind, fields, provider, currency } = values as { [name: string]: string } & { fields: readonly string[] };
  if (!isCurrency(currency!))
    return { field: "currency", text: "{{currency}} isn't an ISO 4217 currency code", values: { currency: currency! } };
  if (provider !== "razorpayx") return undefined;
  if (currency !== "INR") return { field: "currency", text: "RazorpayX pays INR" };
  const missing = neededByRazorpay[kind!]!.find((name) => !fields.includes(name));
  return missing ? { field: "fields", text: "RazorpayX needs {{name}}", values: { name: missing } } : undefined;
}
