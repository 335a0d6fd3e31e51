/** The condition that a refund, the row `r`, was not reversed. */
export const notReversed = "NOT EXISTS (SELECT 1 FROM payment_refund_reversals WHERE refund_id = r.id)";

/** The description of what pays a debt. */
export const debtPaymentText = "Debt of refunded orders";

/**
 * Returns an expression for the coins or the money that a user owes the house: those of refunded orders that were
 * already spent, less what later purchases paid and what reversals of refunds cancelled. `user` and `asset` are
 * expressions with the name of their table.
 */
export const debtOf = (user: string, asset = "'coins'"): string => `(
  (SELECT coalesce(sum(r.debt - coalesce(v.debt, 0)), 0)
   FROM payment_orders o JOIN payments p ON p.order_id = o.id JOIN payment_refunds r ON r.payment_id = p.id
     LEFT JOIN payment_refund_reversals v ON v.refund_id = r.id
   WHERE o.user_id = ${user} AND o.asset = ${asset})
  - (SELECT coalesce(sum(d.credit), 0) FROM payment_orders o JOIN debt_payments d ON d.order_id = o.id
     WHERE o.user_id = ${user} AND o.asset = ${asset}))::bigint`;
