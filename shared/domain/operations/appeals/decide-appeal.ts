import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { Appeal } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { liftSuspension } from "#shared/domain/identity/accounts/suspend-user.ts";
import { reloadSanctions } from "#shared/domain/identity/sanctions/active-sanctions.ts";
import { liftStep } from "#shared/domain/identity/sanctions/impose-sanction.ts";
import { keptOutMailJob } from "#shared/domain/identity/sanctions/keep-out.ts";
import { AppealModel, SanctionModel } from "#shared/domain/identity/sanctions/sanction.model.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { RemovalModel } from "#shared/domain/social/removals/removal.model.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { restore } from "./restore.ts";

export interface Decision {
  /** Whether the sanction is lifted, or what was removed comes back. */
  readonly overturn: boolean;
  /** What the user is told. */
  readonly answer: string;
}

/** Whether lifting a sanction lifts the suspension of the account: later, there may be another one. */
const isSuspension = (sanction?: { readonly suspends: boolean; readonly until: string | null }): boolean =>
  sanction?.suspends === true && (sanction.until === null || Date.parse(sanction.until) > clock.now());

/**
 * Decides an appeal: allowed for another administrator than the one whose decision it is about. Publishes
 * `appeal.decided`.
 * @throws NOT_FOUND, CONFLICT when it is decided, FORBIDDEN
 */
export async function decideAppeal(
  caller: AdminPrincipal,
  id: string,
  { overturn, answer }: Decision,
): Promise<Appeal> {
  const { user_id } = await inTransaction(async (tx) => {
    const appeal = await AppealModel.lock(tx, { id });
    if (!appeal) throw new DomainError("NOT_FOUND");
    if (appeal.status !== "open") throw new DomainError("CONFLICT", "This appeal has been decided already.");
    const { user_id, sanction_id, removal_id } = appeal;
    // The user first, as wherever both change.
    if (sanction_id) await User.lock(tx, { id: user_id }, ["status"]);
    const sanction = sanction_id
      ? await SanctionModel.lock(tx, { id: sanction_id }, ["created_by", "kinds", "suspends", "until"])
      : undefined;
    const removal = removal_id ? await RemovalModel.lock(tx, { id: removal_id }) : undefined;
    if ((sanction?.created_by ?? removal?.removed_by) === caller.adminId)
      throw new DomainError("FORBIDDEN", "Another administrator decides about your sanction.");

    const status = overturn ? "overturned" : "upheld";
    await AppealModel.change(tx, { id }, { status, answer, decided_by: caller.adminId, decided_at: now });
    await tx.audit(caller, {
      action: "appeal.decide",
      target: { type: "appeal", id },
      before: { status: "open" },
      after: { status },
      reason: answer,
    });
    if (overturn && sanction_id && (await liftStep(tx, sanction_id)) && isSuspension(sanction))
      await liftSuspension(tx, user_id);
    if (overturn && removal && removal.restored_at === null) await restore(tx, removal);
    if (sanction_id && sanction?.kinds.includes("login"))
      await tx.enqueue(keptOutMailJob, { sanction_id, about: "decided" });
    await tx.publish("appeal.decided", { user_id, appeal_id: id, status, answer });
    return appeal;
  });
  await reloadSanctions(user_id);
  const { text, status, answer: given, created_at, decided_at } = (await AppealModel.read({ id }))!;
  return { id, text, status, answer: given, created_at, decided_at };
}
