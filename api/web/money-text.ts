import type { Language } from "#shared/kernel/languages.ts";

/** Formats an amount in the currency's smallest unit. */
export function moneyText(language: Language, amount: number, currency: string): string {
  const format = new Intl.NumberFormat(language, { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
