import { defineModel, integer, nullable, text, time } from "#shared/db/model.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** A server of the operator that is asked before, or notified after, an operation or an action. */
export const HttpHookModel = defineModel("http_hooks", {
  ...managedColumns,
  moment: text<"before" | "after">(),
  target: text(),
  url: text(),
  deadline_ms: integer(),
  failure: text<"open" | "closed">(),
  secret_sealed: nullable(text()),
  previous_secret_sealed: nullable(text()),
  previous_until: nullable(time()),
});
