import type { SanctionKind } from "#shared/contracts/sanction-rights.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Rule } from "./compile-rules.ts";

/** A sanction by a rule. */
export interface RuleSanction {
  readonly id: string;
  readonly user_id: string;
  readonly kinds: readonly SanctionKind[];
  /** ISO 8601. Null: until it is lifted. */
  readonly until: string | null;
  readonly reason: string;
  /** Absent in jobs of an earlier release. */
  readonly rule_id?: string;
  readonly rule_version?: number;
  /** Whether a person whom this rule hasn't met lately is only warned. */
  readonly warn_first?: boolean;
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
export function punish({ id: rule_id, version: rule_version, action }: Rule, userId: string): void {
  if (action.kind !== "timeout" && action.kind !== "sanction") return;
  const { minutes, text: reason } = action;
  const until = minutes === undefined ? null : new Date(clock.now() + minutes * 60_000).toISOString();
  const kinds = action.kind === "timeout" ? writing : action.kinds;
  const warn_first = action.kind === "sanction" && action.warn_first !== false;
  const sanction = { id: newId(), user_id: userId, kinds, until, reason, rule_id, rule_version, warn_first };
  inTransaction((tx) => tx.enqueue(ruleSanctionJob, sanction)).catch((error: unknown) =>
    logger.error({ err: error }, "a sanction by a rule could not be imposed"),
  );
}
