import type { PolicyKey } from "#shared/contracts/views.ts";
import { defineModel, text } from "#shared/db/model.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { managedColumns } from "../managed/managed-resource.ts";

/** A text of the operator's own, instead of the template that the service ships. */
export const PolicyTextModel = defineModel("policy_texts", {
  ...managedColumns,
  key: text<PolicyKey>(),
  language: text<Language>(),
  title: text(),
  body_markdown: text(),
});
