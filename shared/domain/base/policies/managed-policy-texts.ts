import { exampleIds } from "#shared/contracts/examples.ts";
import { line, oneOf, text } from "#shared/contracts/fields.ts";
import { policyKeys } from "#shared/contracts/views.ts";
import { languages } from "#shared/kernel/languages.ts";
import type { ManagedResource } from "../managed/managed-resource.ts";
import { PolicyTextModel } from "./policy-text.model.ts";

/** The terms, the guidelines, and the privacy policy, as the operator writes them, each in any of the languages. */
export const managedPolicyTexts: ManagedResource = {
  resource: "policy_texts",
  name: "policy_text",
  one: "a policy text",
  many: "policy texts",
  model: PolicyTextModel,
  fields: {
    key: oneOf(...policyKeys),
    language: oneOf(...languages),
    title: line(1, 120, "Community guidelines"),
    body_markdown: text(1, 50_000, "Be decent.").description(
      "Markdown. {{app_name}} and {{minimum_age}} become the values of these settings. To ask users again, change the setting terms_version.",
    ),
  },
  defaults: {},
  search: ["title"],
  filters: { key: oneOf(...policyKeys), language: oneOf(...languages) },
  sorts: ["key", "updated_at"],
  exampleId: exampleIds.policyText,
};
