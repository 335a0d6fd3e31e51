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

type LabelKind = "fields" | "values" | "groups" | "resources";

export const hasText = (kind: LabelKind, name: string): boolean => i18next.exists(`${kind}.${name}`);

/** Returns the text of a key that needn't exist, such as the label of a field; otherwise words made from its name. */
export function labelOf(kind: LabelKind, name: string): string {
  return hasText(kind, name) ? i18next.t(`${kind}.${name}` as never) : words(name);
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
