import type { SanctionKind } from "#shared/contracts/sanction-rights.ts";
import type { RuleAct } from "#shared/contracts/views.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";

/** A sanction by a rule. */
export interface RuleSanction {
  readonly id: string;
  readonly user_id: string;
  readonly kinds: readonly SanctionKind[];
  /** ISO 8601. Null: until it is lifted. */
  readonly until: string | null;
  readonly reason: string;
}

/** Imposes a sanction by a rule. */
export const ruleSanctionJob = defineJob<RuleSanction>("rules.sanction", {
  retries: 10,
  retryMaxSeconds: 60,
  timeoutSeconds: 20,
});

/** What a timeout takes. */
const writing: readonly SanctionKind[] = ["chat", "message", "post"];

/** What a rule does to the person whose text it refuses, if anything. It isn't waited for: an actor has its turn. */
export function punish(action: RuleAct, userId: string): void {
  if (action.kind !== "timeout" && action.kind !== "sanction") return;
  const { minutes, text: reason } = action;
  const until = minutes === undefined ? null : new Date(clock.now() + minutes * 60_000).toISOString();
  const kinds = action.kind === "timeout" ? writing : action.kinds;
  inTransaction((tx) => tx.enqueue(ruleSanctionJob, { id: newId(), user_id: userId, kinds, until, reason })).catch(
    (error: unknown) => logger.error({ err: error }, "a sanction by a rule could not be imposed"),
  );
}
