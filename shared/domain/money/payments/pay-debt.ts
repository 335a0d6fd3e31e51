import { service } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { debtPaymentText, lockedDebt } from "#shared/domain/money/ledger/debts.ts";
import { transfer } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import type { LockedOrder } from "./settle-payment.ts";

/**
 * Step: pays the buyer's debt to the house with the coins or the money that they have just bought, so that buying,
 * spending, and a refund can't be repeated for more. Call it after they were credited: the wallet is locked from then
 * on, and with it the debt.
 */
export async function payDebt(tx: Tx, { id: orderId, user_id: userId, asset, credit }: LockedOrder): Promise<void> {
  const amount = Math.min(await lockedDebt(tx, userId, asset), credit);
  if (amount === 0) return;

  const id = newId();
  await tx.query("INSERT INTO debt_payments (id, order_id, credit) VALUES ($1, $2, $3)", [id, orderId, amount]);
  await transfer(tx, {
    asset,
    by: service,
    reference: { type: "debt_payment", id },
    description: debtPaymentText,
    entries: [
      { account: { userId }, amount: -amount, type: "refund" },
      { account: { house: "debt" }, amount, type: "refund" },
    ],
  });
}
