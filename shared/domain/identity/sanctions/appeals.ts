import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { Appeal, Sanction } from "#shared/contracts/views.ts";
import { countChanges } from "#shared/db/batches.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { reloadSanctions } from "./active-sanctions.ts";
import { liftStep } from "./impose-sanction.ts";
import { AppealModel, SanctionModel } from "./sanction.model.ts";
import { getSanction } from "./sanctions.queries.ts";

/**
 * Appeals against a sanction: once, while it holds.
 * @throws NOT_FOUND, CONFLICT when there is an appeal already, or it no longer holds
 */
export async function appealSanction({ userId }: UserPrincipal, id: string, text: string): Promise<Sanction> {
  await inTransaction(async (tx) => {
    const { status, appeal } = await getSanction(id, userId);
    await SanctionModel.lock(tx, { id }, ["id"]);
    if (appeal || (await AppealModel.read({ sanction_id: id }, ["id"])))
      throw new DomainError("CONFLICT", "You have appealed already.");
    if (status !== "active") throw new DomainError("CONFLICT", "This sanction no longer holds.");
    await AppealModel.insert(tx, { id: newId(), sanction_id: id, user_id: userId, text });
  });
  return getSanction(id, userId);
}

/** Notes that a user has seen a sanction, or a warning. The first time counts. @throws NOT_FOUND */
export async function acknowledgeSanction({ userId }: UserPrincipal, id: string): Promise<Sanction> {
  const { acknowledged_at } = await getSanction(id, userId);
  if (acknowledged_at === null)
    await inTransaction((tx) => SanctionModel.change(tx, { id, acknowledged_at: null }, { acknowledged_at: now }));
  return getSanction(id, userId);
}

export interface Decision {
  /** Whether the sanction is lifted. */
  readonly overturn: boolean;
  /** What the user is told. */
  readonly answer: string;
}

/**
 * Decides an appeal: allowed for another administrator than the one who imposed the sanction.
 * @throws NOT_FOUND, CONFLICT when it is decided, FORBIDDEN
 */
export async function decideAppeal(
  caller: AdminPrincipal,
  id: string,
  { overturn, answer }: Decision,
): Promise<Appeal> {
  const { sanction_id, user_id } = await inTransaction(async (tx) => {
    const appeal = await AppealModel.lock(tx, { id });
    if (!appeal) throw new DomainError("NOT_FOUND");
    if (appeal.status !== "open") throw new DomainError("CONFLICT", "This appeal has been decided already.");
    const sanction = await SanctionModel.lock(tx, { id: appeal.sanction_id }, ["created_by"]);
    if (sanction?.created_by === caller.adminId)
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
    if (overturn) await liftStep(tx, appeal.sanction_id);
    const { user_id, sanction_id } = appeal;
    await tx.publish("appeal.decided", { user_id, appeal_id: id, sanction_id, status, answer });
    return appeal;
  });
  await reloadSanctions(user_id);
  return (await getSanction(sanction_id)).appeal!;
}

/** Step: empties what the user wrote. Returns how many rows. */
export const eraseAppeals = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, "UPDATE appeals SET text = '' WHERE user_id = $1 AND text <> '' RETURNING 1");
