import { service } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { movePayout } from "./move-payout.ts";
import type { PayoutRow } from "./payout.model.ts";

/** Step: declines what was not sent to a user, and erases where to. That they were paid stays. */
export async function erasePayouts(tx: Tx, userId: string): Promise<number> {
  const unsent = await tx.query<PayoutRow & Record<string, unknown>>(
    `SELECT * FROM payouts WHERE user_id = $1 AND status IN ('requested', 'approved') AND attempted_at IS NULL
     ORDER BY id FOR UPDATE`,
    [userId],
  );
  for (const payout of unsent)
    await movePayout(tx, service, payout, "declined", { failure: "The account was deleted" });
  const erased = await tx.query(
    `UPDATE payouts SET details_sealed = NULL, shown = '' WHERE user_id = $1 AND (details_sealed IS NOT NULL OR shown <> '')
     RETURNING 1`,
    [userId],
  );
  return unsent.length + erased.length;
}
