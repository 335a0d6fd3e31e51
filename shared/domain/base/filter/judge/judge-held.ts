import { now, type RowOf } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { logger } from "#shared/kernel/logger.ts";
import { countAction } from "../check-content.ts";
import type { Rule, Where } from "../compile-rules.ts";
import { HeldContent } from "../held-content.model.ts";
import { punish } from "../punish.ts";
import { currentRules } from "../rules.ts";
import { askJudge, type Labels } from "./judge.config.ts";

type Held = RowOf<typeof HeldContent>;

/** What becomes of a text: `held` waits for an administrator. */
interface Outcome {
  readonly status: "released" | "held" | "rejected";
  readonly rule?: Rule;
}

/** Returns the rules that find one of their labels. */
export const labelledRules = (where: Where, labels: Labels): Rule[] =>
  currentRules()
    .judged(where)
    .filter(
      ({ trigger }) =>
        trigger.kind === "labels" && trigger.labels.some((label) => (labels[label] ?? 0) * 100 >= trigger.percent),
    );

/** Asks the judge about a text, and decides. If it can't say, the setting does. */
async function outcomeOf({ id, place, text, circumstances }: Held): Promise<Outcome> {
  let labels: Labels;
  try {
    labels = await askJudge({ kind: "text", place, text });
  } catch (error) {
    logger.warn({ err: error, held: id }, "the judge said nothing");
    return { status: setting("judge_failure") === "hold" ? "held" : "released" };
  }
  const found = labelledRules(circumstances as Where, labels);
  const refusing = found.find(({ action }) => action.kind !== "hold");
  if (refusing) return { status: "rejected", rule: refusing };
  return found[0] ? { status: "held", rule: found[0] } : { status: "released" };
}

/**
 * Decides about a text that waits for a judge; `follow` says what belongs to the same transaction. Run
 * twice, the second does nothing.
 */
export async function judgeHeld(
  id: string,
  follow: { readonly rejected: (tx: Tx, held: Held) => Promise<void>; readonly released: (tx: Tx) => Promise<void> },
): Promise<void> {
  const held = await HeldContent.read({ id });
  if (held?.status !== "judging") return;
  const { status, rule } = await outcomeOf(held);
  await inTransaction(async (tx) => {
    if ((await HeldContent.lock(tx, { id }, ["status"]))?.status !== "judging") return;
    const named = rule && {
      rule_id: rule.id,
      rule_name: rule.name,
      rule_version: rule.version,
      reason: rule.action.text,
    };
    await HeldContent.change(tx, { id }, { status, ...named, ...(status !== "held" && { decided_at: now }) });
    if (status === "rejected") await follow.rejected(tx, { ...held, ...named });
    if (status === "released") await follow.released(tx);
  });
  if (rule) countAction(rule);
  if (status === "rejected" && rule) punish(rule, held.user_id);
}
