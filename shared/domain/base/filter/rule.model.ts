import type { RuleAct, RuleScope, RuleTrigger } from "#shared/contracts/views.ts";
import { defaulted, defineModel, flag, json, text } from "#shared/db/model.ts";
import { managedColumns } from "../managed/managed-resource.ts";

/** What people may not write. */
export const RuleModel = defineModel("rules", {
  ...managedColumns,
  name: text(),
  enabled: defaulted(flag()),
  scope: json<RuleScope>(),
  trigger: json<RuleTrigger>(),
  action: json<RuleAct>(),
});
