import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { SanctionKind } from "#shared/contracts/sanction-rights.ts";
import type { Sanction } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import type { RuleSanction } from "#shared/domain/base/filter/punish.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { reloadSanctions } from "./active-sanctions.ts";
import { SanctionModel } from "./sanction.model.ts";
import { getSanction } from "./sanctions.queries.ts";

export interface SanctionInput {
  readonly user_id: string;
  readonly kinds: readonly SanctionKind[];
  /** ISO 8601. Null: until it is lifted. */
  readonly until?: string | null;
  /** What the user is told. */
  readonly reason: string;
}

/**
 * Takes rights from a user, on every process within moments. A user who may not speak or log in any longer leaves
 * their room (`user.silenced`).
 * @throws NOT_FOUND, VALIDATION_ERROR when `until` has passed
 */
export async function imposeSanction(
  caller: AdminPrincipal,
  { user_id, kinds, until = null, reason }: SanctionInput,
): Promise<Sanction> {
  if (until !== null && Date.parse(until) <= clock.now())
    throw invalidFields([{ field: "until", text: "{{field}} must be in the future" }]);
  const id = newId();
  await inTransaction(async (tx) => {
    await imposeStep(tx, { id, user_id, kinds, until, reason, created_by: caller.adminId });
    await tx.audit(caller, {
      action: "sanction.create",
      target: { type: "sanction", id },
      after: { user_id, kinds, until },
      reason,
    });
  });
  await reloadSanctions(user_id);
  return getSanction(id);
}

type NewSanction = RuleSanction & { readonly created_by: string | null };

async function imposeStep(tx: Tx, sanction: NewSanction): Promise<void> {
  const { user_id, kinds } = sanction;
  const user = await User.lock(tx, { id: user_id }, ["status"]);
  if (!user || user.status === "deleted") throw new DomainError("NOT_FOUND", "This user doesn't exist.");
  await SanctionModel.insert(tx, sanction);
  if (kinds.includes("mic") || kinds.includes("login")) await tx.publish("user.silenced", { user_id });
  await announce(tx, user_id);
}

/** Imposes what a rule demands, once; handles `ruleSanctionJob`. */
export async function imposeByRule(sanction: RuleSanction): Promise<void> {
  if (await SanctionModel.read({ id: sanction.id }, ["id"])) return;
  await inTransaction((tx) => imposeStep(tx, { ...sanction, created_by: null }));
  await reloadSanctions(sanction.user_id);
}

/** Gives back what a sanction took. @throws NOT_FOUND, CONFLICT when it has been lifted */
export async function liftSanction(caller: AdminPrincipal, id: string): Promise<Sanction> {
  const userId = await inTransaction(async (tx) => {
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
  return sanction.user_id;
}

async function announce(tx: Tx, user_id: string): Promise<void> {
  await tx.signal("user.sanctioned", { user_id });
}
