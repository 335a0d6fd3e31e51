import { type Decimal, decimalUnit, smallestOf } from "#shared/kernel/decimal.ts";

/** Returns whether an amount can be paid in a currency: 4.99 USD can, 4.99 JPY can't. */
export const isPayable = (amount: Decimal, currency: string): boolean => amount % smallestOf(currency) === 0n;

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
 * Returns the amount by which a price is reduced, and what remains; together exactly the price. The amount is rounded
 * half up to the smallest amount of the currency, and never exceeds the price.
 */
export function discounted({ price, discount, discountType, currency }: Price): { amount: Decimal; total: Decimal } {
  const smallest = smallestOf(currency);
  // Both as fractions, so that the only rounding is the last.
  const [numerator, denominator] =
    discountType === "percentage" ? [price * discount, 100n * decimalUnit] : [discount, 1n];
  const step = denominator * smallest;
  const rounded = ((2n * numerator + step) / (2n * step)) * smallest;
  const amount = rounded < price ? rounded : price;
  return { amount, total: price - amount };
}
