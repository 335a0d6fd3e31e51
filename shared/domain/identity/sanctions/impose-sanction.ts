import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { SanctionCover, SanctionKind } from "#shared/contracts/sanction-rights.ts";
import type { Sanction } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import type { RuleSanction } from "#shared/domain/base/filter/punish.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { reloadSanctions } from "./active-sanctions.ts";
import { coverStep } from "./covered.ts";
import { keptOutMailJob } from "./keep-out.ts";
import { SanctionModel } from "./sanction.model.ts";
import { getSanction } from "./sanctions.queries.ts";

export interface SanctionInput {
  readonly user_id: string;
  /** None: a warning. */
  readonly kinds: readonly SanctionKind[];
  /** ISO 8601. Null: until it is lifted. */
  readonly until?: string | null;
  /** What the user is told. */
  readonly reason: string;
  /** The report that it is about. */
  readonly report_id?: string | null;
  /** Whose devices or networks are covered, too: those of the last days. */
  readonly covers?: readonly SanctionCover[];
}

/** How long a warning counts, if nothing else is said. */
const warningDays = 90;
const endOfWarning = (): string => new Date(clock.now() + daysMs(warningDays)).toISOString();

/**
 * Takes rights from a user, or warns them, on every process within moments. A user who may not speak or log in any
 * longer leaves their room (`user.silenced`).
 * @throws NOT_FOUND, VALIDATION_ERROR when `until` has passed, or the report is about another user
 */
export async function imposeSanction(caller: AdminPrincipal, input: SanctionInput): Promise<Sanction> {
  const id = await inTransaction((tx) => imposeByAdmin(tx, caller, input));
  await reloadSanctions(input.user_id);
  return getSanction(id);
}

/** Step: the same, as a part of a decision. `isTold`: the user is notified otherwise. Returns its ID. */
export async function imposeByAdmin(
  tx: Tx,
  caller: AdminPrincipal,
  { user_id, kinds, until = null, reason, report_id = null, covers = [] }: SanctionInput,
  options?: { readonly isTold: boolean },
): Promise<string> {
  if (until !== null && Date.parse(until) <= clock.now())
    throw invalidFields([{ field: "until", text: "{{field}} must be in the future" }]);
  if (covers.includes("network")) assertEndsSoon(until);
  const id = newId();
  await imposeStep(tx, { id, user_id, kinds, until, reason, report_id, covers, created_by: caller.adminId }, options);
  await tx.audit(caller, {
    action: "sanction.create",
    target: { type: "sanction", id },
    after: { user_id, kinds, until, report_id, covers },
    reason,
  });
  return id;
}

/** @throws VALIDATION_ERROR */
function assertEndsSoon(until: string | null): void {
  const count = setting("network_sanction_days_max");
  if (until !== null && Date.parse(until) <= clock.now() + daysMs(count)) return;
  const text = "{{field}} must be in the future, at most {{count}} days ahead";
  throw invalidFields([{ field: "until", text, values: { count } }]);
}

type NewSanction = Omit<RuleSanction, "warn_first"> & {
  readonly created_by: string | null;
  readonly report_id?: string | null;
  readonly covers?: readonly SanctionCover[];
};

async function imposeStep(tx: Tx, sanction: NewSanction, { isTold = false } = {}): Promise<void> {
  const { id, user_id, kinds, report_id } = sanction;
  await lockUser(tx, user_id);
  if (report_id) {
    const about = await tx.query("SELECT 1 FROM reports WHERE id = $1 AND target_user_id = $2", [report_id, user_id]);
    if (about.length === 0) throw invalidFields([{ field: "report_id", text: "{{field}} must be about this user" }]);
  }
  const isWarning = kinds.length === 0;
  await SanctionModel.insert(tx, { ...sanction, ...(isWarning && { until: sanction.until ?? endOfWarning() }) });
  await coverStep(tx, id, user_id, sanction.covers ?? []);
  if (!isTold) await tx.publish("user.sanctioned", { user_id, sanction_id: id, is_warning: isWarning });
  if (kinds.includes("login")) await tx.enqueue(keptOutMailJob, { sanction_id: id, about: "imposed" });
  if (kinds.includes("mic") || kinds.includes("login")) await tx.publish("user.silenced", { user_id });
  await announce(tx, user_id);
}

async function lockUser(tx: Tx, id: string): Promise<void> {
  const user = await User.lock(tx, { id }, ["status"]);
  if (!user || user.status === "deleted") throw new DomainError("NOT_FOUND", "This user doesn't exist.");
}

/** Whether this rule has warned a user lately, or sanctioned them. What was lifted doesn't count. */
async function wasMetBy(tx: Tx, { user_id, rule_id }: RuleSanction): Promise<boolean> {
  const met = await tx.query(
    `SELECT 1 FROM sanctions WHERE user_id = $1 AND rule_id = $2 AND lifted_at IS NULL
       AND created_at > now() - interval '${warningDays} days' LIMIT 1`,
    [user_id, rule_id],
  );
  return met.length > 0;
}

/** Imposes what a rule demands, once; handles `ruleSanctionJob`. */
export async function imposeByRule(sanction: RuleSanction): Promise<void> {
  if (await SanctionModel.read({ id: sanction.id }, ["id"])) return;
  const { warn_first, ...asked } = sanction;
  await inTransaction(async (tx) => {
    await lockUser(tx, sanction.user_id);
    const isFirst = warn_first && !(await wasMetBy(tx, sanction));
    await imposeStep(tx, { ...asked, ...(isFirst && { kinds: [], until: null }), created_by: null });
  });
  await reloadSanctions(sanction.user_id);
}

/** Gives back what a sanction took. @throws NOT_FOUND, CONFLICT when it has been lifted, or is a suspension */
export async function liftSanction(caller: AdminPrincipal, id: string): Promise<Sanction> {
  const userId = await inTransaction(async (tx) => {
    const found = await SanctionModel.lock(tx, { id }, ["suspends"]);
    if (found?.suspends) throw new DomainError("CONFLICT", "This is a suspension: reactivate the account.");
    const lifted = await liftStep(tx, id);
    if (!lifted) throw new DomainError("CONFLICT", "This sanction has been lifted already.");
    await tx.audit(caller, {
      action: "sanction.lift",
      target: { type: "sanction", id },
      before: { status: "active" },
      after: { status: "lifted" },
    });
    return lifted;
  });
  await reloadSanctions(userId);
  return getSanction(id);
}

/** Step: the same, without an audit entry. Returns the user; null if it has been lifted already. @throws NOT_FOUND */
export async function liftStep(tx: Tx, id: string): Promise<string | null> {
  const sanction = await SanctionModel.lock(tx, { id }, ["user_id", "lifted_at"]);
  if (!sanction) throw new DomainError("NOT_FOUND");
  if (sanction.lifted_at) return null;
  await SanctionModel.change(tx, { id }, { lifted_at: now });
  await announce(tx, sanction.user_id);
  await tx.publish("sanction.lifted", { user_id: sanction.user_id, sanction_id: id });
  return sanction.user_id;
}

async function announce(tx: Tx, user_id: string): Promise<void> {
  await tx.signal("user.sanctioned", { user_id });
}
