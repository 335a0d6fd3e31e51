/**
 * Amounts of money and percentages, exact: integers in units of 1/10,000, the four decimal places that the database
 * stores. A binary number is made of one only to be shown.
 */
export type Decimal = bigint;

const places = 4;
const unit = 10n ** BigInt(places);
const decimalPattern = /^(\d{1,12})(?:\.(\d{1,4}))?$/;

/** Returns the value of a decimal numeral such as `12.5`, as the database writes it. @throws RangeError */
export function parseDecimal(text: string): Decimal {
  const [, whole, fraction = ""] = decimalPattern.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`${text} is no decimal with up to ${places} places`);
  return BigInt(whole) * unit + BigInt(fraction.padEnd(places, "0"));
}

/** Returns a decimal numeral without trailing zeros: `12.5`. */
export function formatDecimal(value: Decimal): string {
  const fraction = (value % unit).toString().padStart(places, "0").replace(/0+$/, "");
  return fraction ? `${value / unit}.${fraction}` : `${value / unit}`;
}

/** Returns the smallest amount of a currency: 0.01 for USD, 1 for JPY. */
function smallestOf(currency: string): Decimal {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
  return 10n ** BigInt(places - Math.min(places, maximumFractionDigits));
}

/** Returns the symbol of a currency: `$`, or its code if it has none. */
export const symbolOf = (currency: string): string =>
  new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "narrowSymbol" })
    .formatToParts(0)
    .find(({ type }) => type === "currency")?.value ?? currency;

export type DiscountType = "percentage" | "flat";

export interface Price {
  readonly price: Decimal;
  /** A percentage, or an amount. */
  readonly discount: Decimal;
  readonly discountType: DiscountType;
  /** ISO 4217. */
  readonly currency: string;
}

/**
 * Returns the amount by which a price is reduced, and what remains; together exactly the price. The amount is rounded half
 * up to the smallest amount of the currency, and never exceeds the price.
 */
export function discounted({ price, discount, discountType, currency }: Price): { amount: Decimal; total: Decimal } {
  const smallest = smallestOf(currency);
  // Both as fractions, so that the only rounding is the last.
  const [numerator, denominator] = discountType === "percentage" ? [price * discount, 100n * unit] : [discount, 1n];
  const step = denominator * smallest;
  const rounded = ((2n * numerator + step) / (2n * step)) * smallest;
  const amount = rounded < price ? rounded : price;
  return { amount, total: price - amount };
}
