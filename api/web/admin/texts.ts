import i18next from "i18next";
import { keepLanguage, type Language, preferredLanguage } from "../languages.ts";
import en from "./texts/en.json" with { type: "json" };

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

type Texts = { readonly default: object };

/** Loaded when they are chosen: the texts, and the labels of what the table of the admin API names. */
const translations: Readonly<Record<Exclude<Language, "en">, () => Promise<readonly [texts: Texts, labels: Texts]>>> = {
  hi: () =>
    Promise.all([
      import("./texts/hi.json", { with: { type: "json" } }),
      import("./labels/hi.json", { with: { type: "json" } }),
    ]),
  ar: () =>
    Promise.all([
      import("./texts/ar.json", { with: { type: "json" } }),
      import("./labels/ar.json", { with: { type: "json" } }),
    ]),
  es: () =>
    Promise.all([
      import("./texts/es.json", { with: { type: "json" } }),
      import("./labels/es.json", { with: { type: "json" } }),
    ]),
  pt: () =>
    Promise.all([
      import("./texts/pt.json", { with: { type: "json" } }),
      import("./labels/pt.json", { with: { type: "json" } }),
    ]),
  id: () =>
    Promise.all([
      import("./texts/id.json", { with: { type: "json" } }),
      import("./labels/id.json", { with: { type: "json" } }),
    ]),
};

/** The language of the page. */
export const language = preferredLanguage();

/** Keeps another language in this browser, and loads the page in it. */
export function setLanguage(code: string): void {
  keepLanguage(code);
  location.reload();
}

const [texts, labels] = language === "en" ? [{ default: en }, { default: {} }] : await translations[language]();
await i18next.init({
  lng: language,
  fallbackLng: "en",
  resources: { en: { translation: en }, [language]: { translation: texts.default, labels: labels.default } },
  fallbackNS: "labels",
  // React escapes.
  interpolation: { escapeValue: false },
});

document.documentElement.lang = language;
document.documentElement.dir = i18next.dir(language);

/** Returns the text of a key of `texts/en.json` in the language of the console. */
export const t = i18next.t;

type LabelKind = "fields" | "values" | "groups" | "resources" | "categories" | "permissions";

export const hasText = (kind: LabelKind, name: string): boolean => i18next.exists(`${kind}.${name}`);

/** Returns the text of a key that needn't exist, such as the label of a field; otherwise words made from its name. */
export function labelOf(kind: LabelKind, name: string): string {
  // An ID is labelled as what it identifies.
  const own = [name, name.replace(/(?<=.)_ids?$/, "")].find((one) => hasText(kind, one));
  return own ? i18next.t(`${kind}.${own}` as never) : words(name);
}

/** `claimed_by` → `Claimed by`, `host_id` → `Host`, `image_url` → `Image URL` */
function words(name: string): string {
  const spaced = name
    .replace(/(?<=.)_ids?$/, "")
    .replace(/[_.-]+/g, " ")
    .replace(/\b(id|url|ip|vip|mfa)\b/g, (word) => word.toUpperCase());
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Returns what an operation does, in a few words. */
export function summaryOf({ id, summary }: { readonly id: string; readonly summary: string }): string {
  const key = `operations.${id}`;
  return i18next.exists(key) ? i18next.t(key as never) : summary;
}

const descriptions: Readonly<Record<string, string>> =
  "descriptions" in labels.default ? (labels.default.descriptions as Record<string, string>) : {};

/** Returns what the table says about a field, by its English text. */
export const descriptionOf = (english: string): string => descriptions[english] ?? english.replaceAll("`", "");

/** Returns what follows from an operation, if the language has a text of its own for it. */
export const consequenceTextOf = (id: string): string | undefined =>
  i18next.exists(`consequences.${id}`) ? i18next.t(`consequences.${id}` as never) : undefined;

/** `/catalogue/card-services` → the text `resources.catalogue_card_services`, or `Card services` */
export function titleOf(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && !name.startsWith(":"));
  const [own, last] = [names.join("_"), names.at(-1) ?? ""].map((name) => name.replaceAll("-", "_")) as [
    string,
    string,
  ];
  return labelOf("resources", hasText("resources", own) ? own : last);
}
