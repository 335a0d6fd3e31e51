import { type PayoutDetails, type PayoutField, type PayoutMethod, payoutFieldNames } from "#shared/contracts/views.ts";
import type { RowOf } from "#shared/db/model.ts";
import { query } from "#shared/db/query.ts";
import type { PayoutMethodModel } from "./payout.model.ts";
import { availablePayoutProviders } from "./payouts.config.ts";
import { fieldMissing, fieldUnused } from "./payouts.errors.ts";

export type MethodRow = RowOf<typeof PayoutMethodModel>;

/** The methods that a user is offered as `m`: of each kind, those of their country, or else those of all countries. */
const offered = `(
  SELECT m.*, rank() OVER (PARTITION BY m.kind ORDER BY cardinality(m.countries) = 0) AS nearness
  FROM payout_methods m JOIN users u ON u.id = $1
  WHERE m.retired_at IS NULL AND m.provider = ANY ($2::text[])
    AND (m.countries = '{}' OR u.country = ANY (m.countries))) m WHERE m.nearness = 1`;

/** Returns the methods by which a user can be paid. */
export const listMethods = (userId: string): Promise<PayoutMethod[]> =>
  query<PayoutMethod>(
    `SELECT m.id, m.name, m.kind, m.fields, m.currency, m.rate, m.fee_fixed, m.fee_basis_points, m.min, m.daily_max,
       m.monthly_max, m.zone, m.kyc_level FROM ${offered} ORDER BY m.kind, m.id`,
    [userId, availablePayoutProviders()],
  );

/** Returns the method of a kind that has exactly these fields, or else one of this kind; undefined without any. */
export async function findMethod(userId: string, kind: string, details: PayoutDetails): Promise<MethodRow | undefined> {
  const methods = await query<MethodRow>(`SELECT m.* FROM ${offered} AND m.kind = $3 ORDER BY m.id`, [
    userId,
    availablePayoutProviders(),
    kind,
  ]);
  const given = Object.keys(details);
  return methods.find(({ fields }) => given.length === fields.length && given.every(isOf(fields))) ?? methods[0];
}

const isOf =
  (fields: readonly string[]) =>
  (name: string): boolean =>
    fields.includes(name);

/** @throws VALIDATION_ERROR when something is missing that the method asks for, or given that it doesn't */
export function assertComplete({ fields }: Pick<MethodRow, "fields">, details: PayoutDetails): void {
  const missing = fields.find((name) => details[name] === undefined);
  if (missing) throw fieldMissing(missing);
  const unused = payoutFieldNames.find((name) => details[name] !== undefined && !fields.includes(name));
  if (unused) throw fieldUnused(unused);
}

/** What of the details says most of where the money goes. */
const telling: readonly PayoutField[] = ["vpa", "iban", "account_number", "account"];

/** Returns where to, as it may be shown: `ad•••@okaxis`, `•••6789`. */
export function maskedOf(details: PayoutDetails): string {
  const name = telling.find((one) => details[one] !== undefined);
  const value = name ? details[name]! : "";
  if (name === "vpa") return `${value.slice(0, 2)}•••${value.slice(value.indexOf("@"))}`;
  return `•••${value.length > 6 ? value.slice(-4) : ""}`;
}

/** What a payout brings, in minor units. */
export interface Priced {
  readonly fee: number;
  /** May be 0 or less. */
  readonly net: number;
}

/** Returns what an amount of earnings is worth: rounded down, the part of the fee rounded up. */
export function priceOf(
  { rate, fee_fixed, fee_basis_points }: Pick<MethodRow, "rate" | "fee_fixed" | "fee_basis_points">,
  amount: number,
): Priced {
  const gross = (BigInt(amount) * BigInt(rate)) / 10_000n;
  const fee = Number((gross * BigInt(fee_basis_points) + 9999n) / 10_000n) + fee_fixed;
  return { fee, net: Number(gross) - fee };
}
