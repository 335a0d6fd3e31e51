import { currentLanguage } from "./texts.ts";

/** Formats an amount in minor units, without them. */
export const money = (amount: number, currency: string): string =>
  new Intl.NumberFormat(`${currentLanguage()}-u-nu-latn`, {
    style: "currency",
    currency,
    maximumFractionDigits: 0,
  }).format(amount / 100);
