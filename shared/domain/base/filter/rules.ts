import { keepCurrent } from "#shared/db/keep-current.ts";
import { query } from "#shared/db/query.ts";
import { type CompiledRules, compileRules, type Rule } from "./compile-rules.ts";

/** This process's rules: compiled at the start, and again whenever an administrator has changed one. */
let current: CompiledRules = compileRules([]);

export const currentRules = (): CompiledRules => current;

/** Reads and compiles the rules that hold. */
export const loadRules = keepCurrent("rules.changed", async () => {
  const rules = await query<Rule>(
    `SELECT id, version, name, scope, trigger, action FROM rules WHERE enabled ORDER BY id`,
  );
  current = compileRules(rules, current);
});
