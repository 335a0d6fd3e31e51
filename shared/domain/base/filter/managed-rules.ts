import { RE2JS } from "re2js";
import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, line, oneOf } from "#shared/contracts/fields.ts";
import { type RuleTrigger, ruleAct, ruleScope, ruleTrigger, triggerKinds } from "#shared/contracts/views.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";
import type { ManagedResource } from "../managed/managed-resource.ts";
import { normalise } from "./normalise.ts";
import { RuleModel } from "./rule.model.ts";

/** Rules about what people write. Every process follows a change within a second. */
export const managedRules: ManagedResource = {
  resource: "rules",
  name: "rule",
  one: "a rule",
  many: "rules",
  model: RuleModel,
  fields: {
    name: line(1, 80, "Insults"),
    enabled: flag().description("Whether it holds."),
    scope: ruleScope,
    trigger: ruleTrigger,
    action: ruleAct,
  },
  defaults: { enabled: true },
  check: (values) => wrongTrigger(values.trigger as RuleTrigger),
  changed: (tx) => tx.signal("rules.changed", {}),
  search: ["name"],
  derivedFilters: {
    kind: { schema: oneOf(...triggerKinds).description("Of the trigger."), where: "t.trigger ->> 'kind' = ?" },
  },
  sorts: ["name", "created_at", "updated_at"],
  exampleId: exampleIds.rule,
};

/** Returns what is wrong with a trigger that its schema allows. */
export function wrongTrigger(trigger: RuleTrigger): FieldText | undefined {
  if (trigger.kind === "words") {
    const empty = trigger.words.find((word) => normalise(word.replaceAll("*", "")).text.trim() === "");
    return empty === undefined
      ? undefined
      : { field: "trigger", text: "{{word}} has no letters to look for", values: { word: empty } };
  }
  const wrong = trigger.patterns.find((pattern) => !isPattern(pattern));
  return wrong === undefined
    ? undefined
    : { field: "trigger", text: "{{pattern}} isn't a pattern in the syntax of RE2", values: { pattern: wrong } };
}

function isPattern(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
