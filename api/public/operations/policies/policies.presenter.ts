import { readFileSync } from "node:fs";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { assert } from "#shared/kernel/assert.ts";
import { type Policies, policyKeys } from "./policies.schemas.ts";

/** Update it with each change of a text: clients may ask users to read the texts again. */
const updatedAt = "2026-11-21T00:00:00.000Z";

/** The files in `texts/`, each a heading and a body. Read once, when the process starts. */
const texts = policyKeys.map((key) => {
  const file = new URL(`texts/${key.replaceAll("_", "-")}.md`, import.meta.url);
  const [, title, body] = /^# ([^\n]+)\n+(.+)$/s.exec(readFileSync(file, "utf8")) ?? [];
  assert(title && body, `${file.pathname} has a heading and a body`);
  return { key, title, body_markdown: body.trim() };
});

/** Returns the three texts with the values of settings filled in. */
export function presentPolicies(): Policies {
  const values: Record<string, string> = {
    app_name: setting("app_name"),
    minimum_age: String(setting("minimum_age")),
  };
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_whole, name: string) => values[name] ?? "");
  return {
    sections: texts.map((section) => ({ ...section, body_markdown: fill(section.body_markdown) })),
    updated_at: updatedAt,
  };
}
