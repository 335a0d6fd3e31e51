/** Formats an amount in the currency's smallest unit. */
export function moneyText(locale: string, amount: number, currency: string): string {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
