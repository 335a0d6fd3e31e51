import Negotiator from "negotiator";

/** The languages of messages, mails, and notifications, as BCP 47 has them. The first is that of the code. */
export const languages = ["en", "hi", "ar", "es", "pt", "id"] as const;
export type Language = (typeof languages)[number];

/** Written from right to left. */
const rightToLeft: ReadonlySet<Language> = new Set(["ar"]);

export const directionOf = (language: Language): "ltr" | "rtl" => (rightToLeft.has(language) ? "rtl" : "ltr");

/**
 * Returns the best of our languages for an `Accept-Language` header: Portuguese for `pt-BR`; undefined without one that
 * fits.
 */
export function languageAccepted(header: string | undefined): Language | undefined {
  // Its readers skip what is malformed. A long header costs time.
  if (!header || header.length > 500) return undefined;
  return new Negotiator({ headers: { "accept-language": header } }).language([...languages]) as Language | undefined;
}
