/** The description of the coins that pay a debt. */
export const debtPaymentText = "Debt of refunded orders";

/**
 * Returns an expression for the coins that a user owes the house: those of refunded orders that were already spent, less
 * what later purchases paid. `user` is an expression for the user's ID.
 */
export const debtOf = (user: string): string => `(
  (SELECT coalesce(sum(r.debt_coins), 0)
   FROM payment_orders o JOIN payments p ON p.order_id = o.id JOIN payment_refunds r ON r.payment_id = p.id
   WHERE o.user_id = ${user})
  - (SELECT coalesce(sum(d.coins), 0) FROM payment_orders o JOIN debt_payments d ON d.order_id = o.id
     WHERE o.user_id = ${user}))::bigint`;
