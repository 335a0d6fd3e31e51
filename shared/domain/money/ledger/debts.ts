import type { Tx } from "#shared/db/transaction.ts";
import { type Asset, stock } from "./assets.ts";

/** The condition that a refund, the row `r`, was not reversed. */
export const notReversed = "NOT EXISTS (SELECT 1 FROM payment_refund_reversals WHERE refund_id = r.id)";

/** Types of entries that take bought coins first, from anywhere in the wallet, or give them back. */
export const refundTypes: readonly string[] = ["refund", "gift_refund", "seller_refund", "debt_payment"];

/** The descriptions of what pays a debt. */
export const debtPaymentText = "Debt of refunded orders";
export const shareDebtText = "Debt of refunded gifts";
/** That of what exchanged earnings pay of any debt in coins. */
export const coinDebtText = "Debt of coins";
/** That of what is taken back from the recipients of a seller. */
export const sellerDebtText = "Coins of a seller, taken back";

/**
 * Returns an expression for what a user's shares of refunded gifts owe, and coins of sellers that were taken back:
 * what they no longer held, less what reversals cancelled.
 */
export const shareDebtOf = (user: string, asset: string): string => `
  ((SELECT coalesce(sum(reversals.debt), 0) FROM seller_reversals reversals
    WHERE reversals.recipient_id = ${user} AND reversals.debt > 0 AND ${asset} = 'coins')
   + (SELECT coalesce(sum(shares.debt - shares.cancelled), 0) FROM refund_shares shares
    WHERE shares.user_id = ${user} AND shares.asset = ${asset}))`;
/** And for what they got later and paid it with. */
export const shareDebtPaidBy = (user: string, asset: string): string => `
  (SELECT coalesce(sum(paid.amount), 0) FROM share_debt_payments paid
   WHERE paid.user_id = ${user} AND paid.asset = ${asset})`;

/** And for what reversals of a seller's transfers paid of what they owe for refunded stock. */
const paidByReversals = (user: string, asset: string): string => `
  (SELECT coalesce(sum(reversals.paid), 0)
   FROM seller_reversals reversals JOIN seller_transfers t ON t.id = reversals.transfer_id
   WHERE reversals.paid > 0 AND t.seller_id = ${user} AND ${asset} = '${stock}')`;

/**
 * Returns an expression for the coins, the earnings, or the money that a user owes the house: those of refunded orders
 * that were already spent, and of refunded gifts, less what later purchases, gifts, and reversed transfers of a seller
 * paid, and what reversals of refunds cancelled. `user` and `asset` are expressions with the name of their table.
 */
export const debtOf = (user: string, asset = "'coins'"): string => `(
  (SELECT coalesce(sum(r.debt - coalesce(v.debt, 0)), 0)
   FROM payment_orders o JOIN payments p ON p.order_id = o.id JOIN payment_refunds r ON r.payment_id = p.id
     LEFT JOIN payment_refund_reversals v ON v.refund_id = r.id
   WHERE o.user_id = ${user} AND o.asset = ${asset})
  + ${shareDebtOf(user, asset)} - ${shareDebtPaidBy(user, asset)} - ${paidByReversals(user, asset)}
  - (SELECT coalesce(sum(d.credit), 0) FROM payment_orders o JOIN debt_payments d ON d.order_id = o.id
     WHERE o.user_id = ${user} AND o.asset = ${asset}))::bigint`;

/** Step: returns what a user owes the house, in units of the asset. The wallet is locked, and with it the debt. */
export async function lockedDebt(tx: Tx, userId: string, asset: Asset): Promise<number> {
  const [row] = await tx.query<{ debt: number }>(`SELECT greatest(0, ${debtOf("$1", "$2")}) AS debt`, [userId, asset]);
  return row!.debt;
}
