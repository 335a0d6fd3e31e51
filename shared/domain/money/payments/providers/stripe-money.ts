import type { PriceLimits } from "./provider.ts";

/** Stripe's minor units, https://docs.stripe.com/currencies: two decimals, apart from these. */
const noDecimals = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "));
const threeDecimals = new Set("BHD JOD KWD OMR TND".split(" "));
/** The least amounts that Stripe documents, in its minor units. */
const leastAmounts: Readonly<Record<string, number>> = {
  ...{ AED: 200, AUD: 50, BGN: 100, BRL: 50, CAD: 50, CHF: 50, CZK: 1500, DKK: 250, EUR: 50, GBP: 30, HKD: 400 },
  ...{ HUF: 17_500, INR: 50, JPY: 50, MXN: 1000, MYR: 200, NOK: 300, NZD: 50, PLN: 200, RON: 200, SEK: 300 },
  ...{ SGD: 50, THB: 1000, USD: 50 },
};

/** How many of Stripe's units one of ours is: a whole number, or a fraction if Stripe knows fewer decimals. */
function factorOf(currency: string): number {
  const { maximumFractionDigits: ours = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  const theirs = noDecimals.has(currency) ? 0 : threeDecimals.has(currency) ? 3 : 2;
  return 10 ** (theirs - ours);
}

/** Returns an amount in Stripe's minor units: ISK and UGX have two decimals there, always 00. */
export const toStripe = (amount: number, currency: string): number => Math.round(amount * factorOf(currency));
/** Returns an amount in our minor units. */
export const fromStripe = (amount: number, currency: string): number =>
  Math.round(amount / factorOf(currency.toUpperCase()));

/** The last of three decimals must be 0. */
export function stripeLimitsIn(currency: string): PriceLimits {
  const factor = factorOf(currency);
  const step = threeDecimals.has(currency) ? 10 : Math.max(1, Math.round(1 / factor));
  return { min: Math.max(step, Math.ceil((leastAmounts[currency] ?? 1) / factor)), step };
}
