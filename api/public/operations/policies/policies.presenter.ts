import { readFileSync } from "node:fs";
import { type Policies, type PolicyKey, policyKeys } from "#shared/contracts/views.ts";
import { ownPolicyTexts, type PolicyText } from "#shared/domain/base/policies/policies.queries.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { assert } from "#shared/kernel/assert.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

/** Update it with each change of a text: clients may ask users to read the texts again. */
const updated_at = "2026-11-21T00:00:00.000Z";

/** The paths of the pages. */
export const policyPages = {
  community_guidelines: "/guidelines",
  privacy_policy: "/privacy",
  terms_of_service: "/terms",
} as const;

/** Returns the address of the page of a text. */
export const policyUrl = (key: PolicyKey): string => publicAddress() + policyPages[key];

/** The templates in `texts/`, each a heading and a body. Read once, when the process starts. */
const templates = policyKeys.map((key): PolicyText => {
  const file = new URL(`texts/${key.replaceAll("_", "-")}.md`, import.meta.url);
  const [, title, body] = /^# ([^\n]+)\n+(.+)$/s.exec(readFileSync(file, "utf8")) ?? [];
  assert(title && body, `${file.pathname} has a heading and a body`);
  return { key, title, body_markdown: body.trim(), updated_at };
});

/** Returns the three texts, the operator's own before the templates, with the values of settings filled in. */
export async function presentPolicies(language: Language): Promise<Policies> {
  const values: Record<string, string> = {
    app_name: setting("app_name"),
    minimum_age: String(setting("minimum_age")),
  };
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_whole, name: string) => values[name] ?? "");
  const own = new Map((await ownPolicyTexts(language)).map((text) => [text.key, text]));
  const texts = templates.map((template) => own.get(template.key) ?? template);
  return {
    sections: texts.map(({ key, title, body_markdown }) => ({
      key,
      title,
      body_markdown: fill(body_markdown),
      page_url: policyUrl(key),
    })),
    updated_at: texts
      .map((text) => text.updated_at)
      .toSorted()
      .at(-1)!,
  };
}
