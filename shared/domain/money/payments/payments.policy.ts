import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { noSuchOrder } from "./payments.errors.ts";
import { orderColumns, type PaymentOrderRow, rowColumns } from "./payments.queries.ts";

/**
 * Returns an order of the caller.
 * @throws NOT_FOUND, also for another user's order
 */
export async function accessOrder(caller: UserPrincipal, orderId: string): Promise<Order> {
  const order = await queryOne<Order>(`SELECT ${orderColumns} FROM payment_orders WHERE id = $1 AND user_id = $2`, [
    orderId,
    caller.userId,
  ]);
  if (!order) throw noSuchOrder();
  return order;
}

/**
 * Returns an order of the caller by the provider's id, of any provider: their ids differ.
 * @throws NOT_FOUND, also for another user's order
 */
export async function accessOrderAtProvider(caller: UserPrincipal, providerOrderId: string): Promise<PaymentOrderRow> {
  const order = await queryOne<PaymentOrderRow>(
    `SELECT ${rowColumns} FROM payment_orders WHERE provider_order_id = $1 AND user_id = $2`,
    [providerOrderId, caller.userId],
  );
  if (!order) throw noSuchOrder();
  return order;
}
