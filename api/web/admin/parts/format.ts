import i18next from "i18next";

const inLanguage = <Options, Format>(
  create: new (language: string, options: Options) => Format,
  options: Options,
): (() => Format) => {
  const made = new Map<string, Format>();
  return () => {
    const { language } = i18next;
    const found = made.get(language) ?? new create(language, options);
    made.set(language, found);
    return found;
  };
};

const times = inLanguage<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(Intl.DateTimeFormat, {
  dateStyle: "medium",
  timeStyle: "short",
});
const dates = inLanguage<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(Intl.DateTimeFormat, {
  dateStyle: "medium",
  timeZone: "UTC",
});
const numbers = inLanguage<Intl.NumberFormatOptions, Intl.NumberFormat>(Intl.NumberFormat, {});
const signed = inLanguage<Intl.NumberFormatOptions, Intl.NumberFormat>(Intl.NumberFormat, {
  signDisplay: "always",
  maximumFractionDigits: 8,
});
const compact = inLanguage<Intl.NumberFormatOptions, Intl.NumberFormat>(Intl.NumberFormat, {
  notation: "compact",
  maximumFractionDigits: 1,
});

/** Formats an ISO 8601 time in the time zone of the browser. */
export const formatTime = (time: string): string => times().format(new Date(time));
/** Formats a date such as `2026-01-31`. */
export const formatDate = (date: string): string => dates().format(new Date(date));
export const formatNumber = (value: number): string => numbers().format(value);
/** Formats a number with its sign, which stays before it from right to left, too. */
export const formatSigned = (value: number): string => signed().format(value).replace("-", "−");
/** Formats a number for little space: `1.2K`. */
export const formatCompact = (value: number): string => compact().format(value);

/** Formats a duration in hours and minutes. */
export function formatDuration(seconds: number): string {
  const inUnit = (value: number, unit: "hour" | "minute") =>
    new Intl.NumberFormat(i18next.language, { style: "unit", unit, unitDisplay: "short" }).format(value);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return [...(hours > 0 ? [inUnit(hours, "hour")] : []), inUnit(minutes, "minute")].join(" ");
}

/** Formats an amount in the smallest unit of its currency: 9900 INR is ₹99.00. */
export function formatMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(i18next.language, { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Whether a field of a record is an amount of a provider, in the smallest unit of its currency. Coins have none. */
export const isMoney = (name: string, record: Readonly<Record<string, unknown>>): boolean =>
  /^(price|amount|refunded_amount|net|tax|gross)$/.test(name) && typeof record.currency === "string";
