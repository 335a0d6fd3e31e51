import { query } from "#shared/db/query.ts";
import { onSignal, onSignalsConnected } from "#shared/db/signals.ts";
import { logger } from "#shared/kernel/logger.ts";
import { type CompiledRules, compileRules, type Rule } from "./compile-rules.ts";

/** This process's rules: compiled at the start, and again whenever an administrator has changed one. */
let current: CompiledRules = compileRules([]);

export const currentRules = (): CompiledRules => current;

/** Reads and compiles the rules that hold. */
export async function loadRules(): Promise<void> {
  const rules = await query<Rule>(
    `SELECT id, version, name, scope, trigger, action FROM rules WHERE enabled ORDER BY id`,
  );
  current = compileRules(rules, current);
}

let reading: Promise<void> = Promise.resolve();

/** Reads one after another, so that an older result never overwrites a newer. */
function readAgain(): Promise<void> {
  reading = reading.catch(() => undefined).then(loadRules);
  return reading;
}

onSignalsConnected(readAgain);
onSignal("rules.changed", () => {
  readAgain().catch((error: unknown) => logger.error({ err: error }, "the rules could not be reloaded"));
});
