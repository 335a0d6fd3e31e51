import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import { noSuchOrder } from "./payments.errors.ts";
import { findOrder, findOrderAtProvider, type OrderRow } from "./payments.queries.ts";

/**
 * One's own order.
 * @throws NOT_FOUND, for another's too
 */
export async function accessOrder(caller: UserPrincipal, orderId: string): Promise<Order> {
  const order = await findOrder(caller.userId, orderId);
  if (!order) throw noSuchOrder();
  return order;
}

/**
 * One's own order, by the provider's id of it.
 * @throws NOT_FOUND, for another's too
 */
export async function accessOrderAtProvider(caller: UserPrincipal, providerOrderId: string): Promise<OrderRow> {
  const order = await findOrderAtProvider(caller.userId, providerOrderId);
  if (!order) throw noSuchOrder();
  return order;
}
