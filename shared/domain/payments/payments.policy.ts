import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import { noSuchOrder } from "./payments.errors.ts";
import { findOrder, findOrderAtProvider, type OrderRow } from "./payments.queries.ts";

/**
 * Returns an order of the caller.
 * @throws NOT_FOUND, also for another user's order
 */
export async function accessOrder(caller: UserPrincipal, orderId: string): Promise<Order> {
  const order = await findOrder(caller.userId, orderId);
  if (!order) throw noSuchOrder();
  return order;
}

/**
 * Returns an order of the caller by the provider's id.
 * @throws NOT_FOUND, also for another user's order
 */
export async function accessOrderAtProvider(caller: UserPrincipal, providerOrderId: string): Promise<OrderRow> {
  const order = await findOrderAtProvider(caller.userId, providerOrderId);
  if (!order) throw noSuchOrder();
  return order;
}
