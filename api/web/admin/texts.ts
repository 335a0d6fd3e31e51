import i18next from "i18next";
import en from "./texts/en.json" with { type: "json" };

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

await i18next.init({
  lng: "en",
  fallbackLng: "en",
  resources: { en: { translation: en } },
  // React escapes.
  interpolation: { escapeValue: false },
});

/** Returns the text of a key of `texts/en.json` in the language of the console. */
export const t = i18next.t;

/** Returns the text of a key that needn't exist, such as the label of a field; otherwise words made from its name. */
export function labelOf(kind: "fields" | "values" | "groups" | "resources", name: string): string {
  const key = `${kind}.${name}`;
  return i18next.exists(key) ? i18next.t(key as never) : words(name);
}

/** `claimed_by` → `Claimed by` */
function words(name: string): string {
  const spaced = name.replace(/[_.-]+/g, " ").trim();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
