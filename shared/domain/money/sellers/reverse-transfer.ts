import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { coins as coinsAsset, stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import { lockedDebt, sellerDebtText } from "#shared/domain/money/ledger/debts.ts";
import { lockWallets, type TransferEntry, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { followedCoins, SellerTransferModel } from "./seller.model.ts";

/**
 * Takes back what a seller passed on, for their stock, less what refunds of the stock have taken back before. It pays
 * first what the seller owes for refunded stock. What the recipient no longer has becomes their debt, which is paid
 * with the coins that they get later. When such a refund is reversed later, the recipient gets coins again: call it
 * again to take these back, too.
 * @throws NOT_FOUND, CONFLICT if it was reversed before, or refunds have taken back all of it
 */
export const reverseTransfer = (caller: AdminPrincipal, transferId: string, reason: string): Promise<void> =>
  inTransaction(async (tx) => {
    const found = await SellerTransferModel.read({ id: transferId });
    if (!found) throw new DomainError("NOT_FOUND");
    const { seller_id, recipient_id } = found;
    const wallets = await lockWallets(tx, [seller_id, recipient_id], [coinsAsset, stock]);
    const { balance } = [...wallets.values()].find((one) => one.user_id === recipient_id && one.asset === coinsAsset)!;
    const { followed, kept } = await whatIsLeft(tx, transferId);
    const coins = (kept ?? found.coins) - followed;
    if (coins <= 0 && kept !== null) throw new DomainError("CONFLICT", "This transfer is reversed already.");
    if (coins <= 0) throw new DomainError("CONFLICT", "A refund has taken back the coins of this transfer.");
    const debt = Math.max(0, coins - balance);
    const paid = Math.min(coins * stockUnit, await lockedDebt(tx, seller_id, stock));
    const id = newId();
    await tx.query(
      `INSERT INTO seller_reversals (id, transfer_id, recipient_id, debt, reason, reversed_by, followed, paid)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, transferId, recipient_id, debt, reason, caller.adminId, followed, paid],
    );

    const type = "refund";
    const entries: TransferEntry[] = [
      { account: { userId: recipient_id }, amount: debt - coins, type },
      { account: { house: "debt" }, amount: -debt, type },
      { account: { house: "exchange" }, amount: coins, type },
      { account: { house: "exchange" }, asset: stock, amount: -coins * stockUnit, type },
      { account: { userId: seller_id }, asset: stock, amount: coins * stockUnit - paid, type },
      { account: { house: "debt" }, asset: stock, amount: paid, type },
    ];
    await transfer(tx, {
      by: caller,
      reference: { type: "seller_reversal", id },
      description: sellerDebtText,
      entries: entries.filter(({ amount }) => amount !== 0),
    });
    await tx.publish("seller.reversed", { reversal_id: id, transfer_id: transferId, seller_id, recipient_id, coins });
    await tx.audit(caller, {
      action: "seller_transfer.reverse",
      target: { type: "seller_transfer", id: transferId },
      after: { reversal_id: id, seller_id, recipient_id, amount: coins, debt, paid },
      reason,
    });
  });

/**
 * Returns how many coins of a transfer refunds have taken from the recipient, or from those who got them by gifts, and
 * how many the last reversal left to them.
 */
async function whatIsLeft(tx: Tx, transferId: string): Promise<{ followed: number; kept: number | null }> {
  const [row] = await tx.query<{ followed: number; kept: number | null }>(
    `SELECT ${followedCoins} AS followed, (SELECT min(followed) FROM seller_reversals WHERE transfer_id = $1) AS kept
     FROM refund_transfers WHERE transfer_id = $1`,
    [transferId],
  );
  return row!;
}
