import type { CoinPackage, Order } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";

/** Returns the packages on sale, in their order. */
export function listCoinPackages(): Promise<CoinPackage[]> {
  return query<CoinPackage>(
    `SELECT id, name, coins, bonus_coins, price, currency FROM coin_packages
     WHERE retired_at IS NULL ORDER BY position, price, id`,
  );
}

/** An overdue order is shown as expired at once, before the job has expired it. */
export const orderColumns = `id, kind, CASE WHEN status = 'created' AND expires_at <= now() THEN 'expired' ELSE status END AS status,
  amount, currency, coins, package_id, plan_id, provider, provider_order_id, created_at, paid_at`;

/** An order with what dealing with its provider needs. */
export type OrderRow = Order & {
  user_id: string;
  /** What is bought, as shown to the payer. */
  title: string;
};

export const rowColumns = `${orderColumns}, user_id, title`;

export function findOrderRow(orderId: string): Promise<OrderRow | undefined> {
  return queryOne<OrderRow>(`SELECT ${rowColumns} FROM payment_orders WHERE id = $1`, [orderId]);
}

/** Returns whether a payment is recorded. */
export async function isPaymentKnown(provider: string, providerPaymentId: string): Promise<boolean> {
  const known = await query("SELECT 1 FROM payments WHERE provider = $1 AND provider_payment_id = $2", [
    provider,
    providerPaymentId,
  ]);
  return known.length > 0;
}

/** Returns the coins that a user owes the house: from refunds whose coins were already spent. */
export async function debtOf(userId: string): Promise<number> {
  const row = await queryOne<{ debt: number }>(
    `SELECT coalesce(sum(r.debt_coins), 0)::bigint AS debt
     FROM payment_orders o JOIN payments p ON p.order_id = o.id JOIN payment_refunds r ON r.payment_id = p.id
     WHERE o.user_id = $1`,
    [userId],
  );
  return row!.debt;
}
