import i18next from "i18next";
import { hasText, labelOf, t } from "../texts.ts";

/** Fields whose values have words in no table of the API. */
const named = /^(permissions?|languages?|country|category)$/;

/** Returns the word for a value of a field with a few values, or of one whose values are codes, such as a country. */
export function wordFor(name: string, value: string): string {
  if (/^permission/.test(name)) return permissionName(value);
  if (/^language/.test(name)) return nameOf("language", value);
  if (name === "country") return nameOf("region", value);
  return labelOf(name === "category" ? "categories" : "values", value);
}

/** Returns a text of a field as people read it. What isn't a code stays as it is. */
export const textOfField = (name: string, text: string): string =>
  named.test(name) && /^([\w.]+|\*)$/.test(text) ? wordFor(name, text) : text;

/** Returns what is told beside the name of a record: its state, or another name of it. */
export const detailOf = (detail: string): string => (hasText("values", detail) ? labelOf("values", detail) : detail);

/** `catalogue_cards.read` → `Cards: view` */
function permissionName(permission: string): string {
  if (permission === "*") return labelOf("values", "all");
  const [what = "", verb = ""] = permission.split(".");
  const own = `${what}_${verb}`;
  if (hasText("permissions", own)) return labelOf("permissions", own);
  const name = areaOf(what);
  return verb === "write" ? t("permissions.write", { name }) : t("permissions.read", { name });
}

/** `catalogue_cards` → `Cards` */
export const areaOf = (what: string): string =>
  labelOf("resources", hasText("resources", what) ? what : what.replace(/^catalogue_/, ""));

const nameOf = (type: "language" | "region", code: string): string =>
  /^[a-z]{2}$/i.test(code) ? (new Intl.DisplayNames(i18next.language, { type }).of(code) ?? code) : code;
