import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Sanction } from "#shared/contracts/views.ts";
import { countChanges } from "#shared/db/batches.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { AppealModel, SanctionModel } from "./sanction.model.ts";
import { getSanction } from "./sanctions.queries.ts";

/**
 * Appeals against a sanction: once, while it holds.
 * @throws NOT_FOUND, CONFLICT when there is an appeal already, or it no longer holds
 */
export async function appealSanction(
  { userId }: Pick<UserPrincipal, "userId">,
  id: string,
  text: string,
): Promise<Sanction> {
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

/** Step: empties what the user wrote. Returns how many rows. */
export const eraseAppeals = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    "UPDATE appeals SET text = '', about = '' WHERE user_id = $1 AND (text <> '' OR about <> '') RETURNING 1",
  );
