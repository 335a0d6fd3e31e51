/** The languages of the pages, by their own names. */
export const languageNames = {
  en: "English",
  hi: "हिन्दी",
  ar: "العربية",
  es: "Español",
  pt: "Português",
  id: "Bahasa Indonesia",
} as const;
export type Language = keyof typeof languageNames;

const stored = "hubbub:language";
const isLanguage = (code: string): code is Language => Object.hasOwn(languageNames, code);

/** Returns the language that was chosen in this browser, or else the first of the browser's that the pages speak. */
export const preferredLanguage = (): Language =>
  [localStorage.getItem(stored), ...navigator.languages].map((code) => code?.slice(0, 2) ?? "").find(isLanguage) ??
  "en";

/** Keeps the choice in this browser. */
export const keepLanguage = (code: string): void => localStorage.setItem(stored, code);
