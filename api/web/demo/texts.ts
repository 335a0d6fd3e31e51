import i18next from "i18next";
import { useSyncExternalStore } from "react";
import { keepLanguage, type Language, preferredLanguage } from "../languages.ts";

type Texts = Readonly<Record<string, string>>;

const listeners = new Set<() => void>();
let loaders: Readonly<Record<string, () => Promise<{ default: Texts }>>> = {};

export const currentLanguage = (): Language => i18next.language as Language;

/**
 * Starts the texts of a page in the language that was chosen before, or else that of the browser. The English text is
 * the key, so that English needs no file; `load` has a function for each other language.
 */
export async function startTexts(load: typeof loaders): Promise<void> {
  loaders = load;
  await i18next.init({
    lng: "en",
    fallbackLng: false,
    resources: { en: { translation: {} } },
    // React escapes, and keys are sentences.
    interpolation: { escapeValue: false },
    keySeparator: false,
    nsSeparator: false,
  });
  await use(preferredLanguage());
}

/** Changes the language of the page, and keeps it in this browser. */
export async function setLanguage(language: Language): Promise<void> {
  keepLanguage(language);
  await use(language);
}

async function use(language: Language): Promise<void> {
  const load = loaders[language];
  if (load && !i18next.hasResourceBundle(language, "translation"))
    i18next.addResourceBundle(language, "translation", (await load()).default);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  document.documentElement.dir = i18next.dir(language);
  for (const listener of listeners) listener();
}

/** Returns the language of the page, and renders again when it changes. */
export const useLanguage = (): Language =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, currentLanguage);

/** Returns an English text in the language of the page. `count` chooses its plural. */
export const t = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  // The keys of i18next's types are those of the console.
  i18next.t(text as never, values) as string;

/** Marks a text that is translated where it is shown. */
export const key = <T extends string>(text: T): T => text;

/** A number as the language writes it, with the digits of the texts. */
export const numberText = (value: number): string => value.toLocaleString(`${currentLanguage()}-u-nu-latn`);

/** Parts of one sentence, as the language lists them: `Ada, host`. */
export const listText = (parts: readonly string[]): string =>
  new Intl.ListFormat(currentLanguage(), { type: "unit" }).format(parts);

/** `20s` in the language's unit. */
export const secondsText = (seconds: number): string =>
  seconds.toLocaleString(`${currentLanguage()}-u-nu-latn`, { style: "unit", unit: "second", unitDisplay: "narrow" });
