/**
 * Amounts of money and percentages, exact: integers in units of 1/10,000, the four decimal places that the database
 * stores. A binary number is made of one only to be shown.
 */
export type Decimal = bigint;

const places = 4;
export const decimalUnit = 10n ** BigInt(places);
const decimalPattern = /^(\d{1,12})(?:\.(\d{1,4}))?$/;

/** Returns the value of a decimal numeral such as `12.5`, as the database writes it. @throws RangeError */
export function parseDecimal(text: string): Decimal {
  const [, whole, fraction = ""] = decimalPattern.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`${text} is no decimal with up to ${places} places`);
  return BigInt(whole) * decimalUnit + BigInt(fraction.padEnd(places, "0"));
}

/** Returns a decimal numeral without trailing zeros: `12.5`. */
export function formatDecimal(value: Decimal): string {
  if (value < 0n) return `-${formatDecimal(-value)}`;
  const fraction = (value % decimalUnit).toString().padStart(places, "0").replace(/0+$/, "");
  return fraction ? `${value / decimalUnit}.${fraction}` : `${value / decimalUnit}`;
}

/** Keeps what `read` returns for each currency, of which there are a few hundred: making a number format takes long. */
function byCurrency<T>(read: (currency: string) => T): (currency: string) => T {
  const known = new Map<string, T>();
  return (currency) => {
    const found = known.get(currency) ?? read(currency);
    known.set(currency, found);
    return found;
  };
}

/** Returns the decimal places of a currency's amounts: 2 for USD, 0 for JPY. */
const placesOf = byCurrency((currency) => {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
  return Math.min(places, maximumFractionDigits);
});

/** Returns the smallest amount of a currency: 0.01 for USD, 1 for JPY. */
export const smallestOf = (currency: string): Decimal => 10n ** BigInt(places - placesOf(currency));

/** Returns an amount with the decimal places of its currency, and more if it has more: `12.50`. */
export function formatMoney(value: Decimal, currency: string): string {
  const [whole, fraction = ""] = formatDecimal(value).split(".");
  const shown = fraction.padEnd(placesOf(currency), "0");
  return shown ? `${whole}.${shown}` : whole!;
}

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Returns whether this is a code of ISO 4217. */
export const isCurrency = (code: string): boolean => currencies.has(code);

/** Returns the symbol of a currency: `$`, or its code if it has none. */
export const symbolOf = byCurrency(
  (currency) =>
    new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "narrowSymbol" })
      .formatToParts(0)
      .find(({ type }) => type === "currency")?.value ?? currency,
);
