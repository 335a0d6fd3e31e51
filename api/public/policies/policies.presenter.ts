import { readFileSync } from "node:fs";
import { setting } from "#shared/domain/settings/settings.ts";
import { assert } from "#shared/kernel/assert.ts";

export const policyKeys = ["community_guidelines", "privacy_policy", "terms_of_service"] as const;

export interface PolicySection {
  key: (typeof policyKeys)[number];
  title: string;
  body_markdown: string;
}

export interface Policies {
  sections: PolicySection[];
  updated_at: string;
}

/** Raise it with each change of a text: clients may ask people to read again. */
const updatedAt = "2026-11-20T00:00:00.000Z";

/** The texts as they stand in `texts/`: a heading, then the body. Read once, when the process starts. */
const texts = policyKeys.map((key): PolicySection => {
  const file = new URL(`texts/${key.replaceAll("_", "-")}.md`, import.meta.url);
  const [, title, body] = /^# ([^\n]+)\n+(.+)$/s.exec(readFileSync(file, "utf8")) ?? [];
  assert(title && body, `${file.pathname} has a heading and a body`);
  return { key, title, body_markdown: body.trim() };
});

/** Community guidelines, privacy policy and terms, with what the settings say put in. */
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
