import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Removal } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { AppealModel } from "#shared/domain/identity/sanctions/sanction.model.ts";
import { RemovalModel } from "#shared/domain/social/removals/removal.model.ts";
import { appealDays, getRemoval } from "#shared/domain/social/removals/removals.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";

/**
 * Appeals against a removal: once, within 30 days.
 * @throws NOT_FOUND, CONFLICT when there is an appeal already, it was undone, or it is too old
 */
export async function appealRemoval({ userId }: UserPrincipal, id: string, text: string): Promise<Removal> {
  await inTransaction(async (tx) => {
    const removal = await RemovalModel.lock(tx, { id });
    if (removal?.user_id !== userId) throw new DomainError("NOT_FOUND");
    if (removal.appeal_id !== null) throw new DomainError("CONFLICT", "You have appealed already.");
    if (removal.restored_at !== null || Date.parse(removal.created_at) < clock.now() - daysMs(appealDays))
      throw new DomainError("CONFLICT", "This removal can't be appealed any longer.");
    const appeal_id = newId();
    const about = removal.text;
    await AppealModel.insert(tx, { id: appeal_id, removal_id: id, user_id: userId, text, about });
    await RemovalModel.change(tx, { id }, { appeal_id });
  });
  return getRemoval(id, userId);
}
