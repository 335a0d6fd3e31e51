import { readFileSync } from "node:fs";
import { createInstance, type TFunction } from "i18next";
import { type Failure, fill, joinMessages, type Text, type Values } from "./domain-error.ts";
import { type Language, languages } from "./languages.ts";

/**
 * The texts of users: a file for each language and kind. The key of an error, and of a text of the server's pages, is
 * its English text, so that the code reads as what it says, and English needs no file; the other kinds have keys, and
 * an English file, too.
 */
const kinds = ["errors", "pages", "mails", "notifications"] as const;
type Kind = (typeof kinds)[number];
const keptInCode: ReadonlySet<Kind> = new Set(["errors", "pages"]);

type Texts = Readonly<Record<string, string>>;

/** Returns the texts of a kind in a language, as they are in their file. */
export const readTexts = (language: Language, kind: Kind): Texts =>
  language === "en" && keptInCode.has(kind)
    ? {}
    : (JSON.parse(readFileSync(new URL(`languages/${language}/${kind}.json`, import.meta.url), "utf8")) as Texts);

const i18n = createInstance();
void i18n.init({
  lng: "en",
  fallbackLng: false,
  initAsync: false,
  ns: [...kinds],
  resources: Object.fromEntries(
    languages.map((language) => [language, Object.fromEntries(kinds.map((kind) => [kind, readTexts(language, kind)]))]),
  ),
  // The texts aren't HTML, and keys may contain any character.
  interpolation: { escapeValue: false },
  keySeparator: false,
  nsSeparator: false,
});

const translators = new Map<string, TFunction>();

function translatorOf(language: Language, kind: Kind): TFunction {
  const name = `${language} ${kind}`;
  const translator = translators.get(name) ?? i18n.getFixedT(language, kind);
  translators.set(name, translator);
  return translator;
}

/**
 * Returns a text by its key, such as `follow.title` of the notifications, or the English text of a page. `count`
 * chooses its plural.
 */
export const textOf = (language: Language, kind: Exclude<Kind, "errors">, key: string, values: Values = {}): string =>
  translatorOf(language, kind)(key, values);

/** Adds the texts of an extension: by language, by the English text. Ours stay as they are. */
export function addTexts(texts: Partial<Record<Language, Texts>>): void {
  for (const [language, added] of Object.entries(texts)) i18n.addResourceBundle(language, "errors", added, true, false);
}

/** Returns a text of an extension, such as that of a notification, which is kept in English. */
export function ownText(language: Language, text: string, values: Values): string {
  return inLanguage({ code: "VALIDATION_ERROR", message: fill(text, values), text: { text, values } }, language)
    .message;
}

/** Translates an error. English is what it is written in. Its code never changes. */
export function inLanguage<F extends Failure>(failure: F, language: Language): F {
  if (language === "en") return failure;
  const translate = (english: string, { text, values }: Text = { text: english, values: {} }): string => {
    const has = (key: string) => i18n.exists(key, { ...values, lng: language, ns: "errors" });
    if (!has(text)) return english;
    // A value may be a text of its own: the kind of a field, in words.
    const spoken = Object.entries(values).map(([name, value]) =>
      typeof value === "string" && has(value) ? [name, translatorOf(language, "errors")(value)] : [name, value],
    );
    return translatorOf(language, "errors")(text, Object.fromEntries(spoken)) as string;
  };

  const { code, message, text, details, detailTexts } = failure;
  const translated = details?.map((detail, index) => ({
    ...detail,
    message: translate(detail.message, detailTexts?.[index]),
  }));
  const isSummary = code === "VALIDATION_ERROR" && translated && detailTexts && !text;
  return {
    ...failure,
    message: isSummary ? joinMessages(translated.map((detail) => detail.message)) : translate(message, text),
    ...(translated && { details: translated }),
  };
}
