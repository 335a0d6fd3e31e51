import { RE2JS } from "re2js";
import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, line, oneOf } from "#shared/contracts/fields.ts";
import {
  type RuleAct,
  type RuleTrigger,
  ruleAct,
  ruleScope,
  ruleTrigger,
  triggerKinds,
} from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { DomainError, type FieldText } from "#shared/kernel/domain-error.ts";
import type { ManagedResource } from "../managed/managed-resource.ts";
import { setting } from "../settings/settings.ts";
import type { Rule } from "./compile-rules.ts";
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
  check: (values) =>
    wrongTrigger(values.trigger as RuleTrigger) ?? wrongAction(values as unknown as Rule & { enabled: boolean }),
  changed: async (tx) => {
    await assertFewEnough(tx);
    await tx.signal("rules.changed", {});
  },
  search: ["name"],
  derivedFilters: {
    kind: { schema: oneOf(...triggerKinds).description("Of the trigger."), where: "t.trigger ->> 'kind' = ?" },
  },
  sorts: ["name", "created_at", "updated_at"],
  exampleId: exampleIds.rule,
};

/**
 * Over all rules that hold: each process compiles them within a fraction of a second, and each text passes them all.
 */
const totals = { words: 20_000, patterns: 100 };
/** Of a compiled pattern, in instructions: the time for each character is in proportion to it. */
const patternSizeMax = 300;

/** @throws CONFLICT with more words or patterns in all rules that hold */
async function assertFewEnough(tx: Tx): Promise<void> {
  const [sums] = await tx.query<typeof totals>(
    `SELECT coalesce(sum(jsonb_array_length(trigger -> 'words')), 0)::integer AS words,
       coalesce(sum(jsonb_array_length(trigger -> 'patterns')), 0)::integer AS patterns FROM rules WHERE enabled`,
  );
  if (sums!.words > totals.words || sums!.patterns > totals.patterns)
    throw new DomainError("CONFLICT", "All rules together have at most {{words}} words and {{patterns}} patterns.", {
      values: totals,
    });
}

/** Returns what is wrong with a trigger that its schema allows. */
export function wrongTrigger(trigger: RuleTrigger): FieldText | undefined {
  if (trigger.kind === "words") {
    const empty = trigger.words.find((word) => normalise(word.replaceAll("*", "")).text.trim() === "");
    return empty === undefined
      ? undefined
      : { field: "trigger", text: "{{word}} has no letters to look for", values: { word: empty } };
  }
  if (trigger.kind !== "patterns") return undefined;
  const wrong = trigger.patterns.find((pattern) => !isPattern(pattern));
  return wrong === undefined
    ? undefined
    : {
        field: "trigger",
        text: "{{pattern}} isn't a pattern in the syntax of RE2, or is too large",
        values: { pattern: wrong },
      };
}

/** Actions that come too late when a judge has been waited for. */
const immediate = new Set<RuleAct["kind"]>(["mask", "alert", "allow"]);

function wrongAction({ trigger, action, enabled }: Rule & { readonly enabled: boolean }): FieldText | undefined {
  if (trigger.kind === "labels" && immediate.has(action.kind))
    return { field: "action", text: "{{kind}} isn't possible with labels", values: { kind: action.kind } };
  if (action.kind !== "shadow") return undefined;
  if (trigger.kind !== "repeats" && trigger.kind !== "floods")
    return { field: "action", text: "shadow is possible with repeats and floods only" };
  return enabled && !setting("shadow_spam")
    ? { field: "action", text: "shadow isn't possible while the setting shadow_spam is off" }
    : undefined;
}

function isPattern(pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).programSize() <= patternSizeMax;
  } catch {
    return false;
  }
}
