import type { CatalogueOrderRecord } from "#shared/contracts/catalogue-admin-views.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { deliversInstantly, fulfilJob } from "./fulfilment/fulfil-order.ts";
import { getOrderRecord } from "./order-records.queries.ts";
import { cancelOrder, completeOrder } from "./order-steps.ts";

/** How an administrator's change of an order is called. */
export interface OrderChange {
  /** The version that the change is based on. */
  readonly version: number | undefined;
  readonly idempotency: IdempotentCall | undefined;
}

interface OpenOrder {
  readonly status: string;
  readonly version: number;
  readonly provider: string | null;
  readonly card_id: number | null;
  readonly is_asking: boolean;
}

/** Step: locks an open order. @throws NOT_FOUND, CONFLICT */
async function lockOpenOrder(tx: Tx, id: number, version: number | undefined): Promise<OpenOrder> {
  const [order] = await tx.query<OpenOrder>(
    `SELECT status, version, provider, card_id, coalesce(asking_until > now(), false) AS is_asking
     FROM catalogue_orders WHERE id = $1 FOR UPDATE`,
    [id],
  );
  if (!order) throw new DomainError("NOT_FOUND");
  if (version !== undefined && version !== order.version)
    throw new DomainError("CONFLICT", "The order was changed since then. Reload it and try again.");
  if (order.status === "completed" || order.status === "cancelled")
    throw new DomainError("CONFLICT", "This order is {{status}}.", { values: { status: order.status } });
  if (order.is_asking) throw new DomainError("CONFLICT", "The provider is being asked. Try again in a minute.");
  return order;
}

/** An order that a provider has can only be ended by an administrator who knows what became of it there. */
function assertChecked({ provider }: OpenOrder, isChecked: boolean): void {
  if (provider !== null && !isChecked)
    throw new DomainError(
      "CONFLICT",
      "The provider already has this order. Check its status there, then set `provider_checked`.",
    );
}

/**
 * Completes an open order. `delivery` says what was delivered.
 * @throws NOT_FOUND, CONFLICT when it has ended, was changed since, or a provider has it, IDEMPOTENCY_CONFLICT
 */
export const completeByAdmin = (
  caller: AdminPrincipal,
  id: number,
  { delivery, provider_checked }: { readonly delivery: string; readonly provider_checked: boolean },
  { version, idempotency }: OrderChange,
): Promise<CatalogueOrderRecord> =>
  inTransaction(async (tx) => {
    const order = await lockOpenOrder(tx, id, version);
    assertChecked(order, provider_checked);
    await completeOrder(tx, id, { delivery });
    await tx.audit(caller, {
      action: "catalogue_order.complete",
      target: { type: "catalogue_order", id: String(id) },
      before: { status: order.status },
      after: { status: "completed" },
    });
    return getOrderRecord(id);
  }, idempotency);

/**
 * Cancels an open order, and gives back what it took. The reseller sees the reason.
 * @throws NOT_FOUND, CONFLICT when it has ended, was changed since, or a provider has it, IDEMPOTENCY_CONFLICT
 */
export const cancelByAdmin = (
  caller: AdminPrincipal,
  id: number,
  { reason, provider_checked }: { readonly reason: string; readonly provider_checked: boolean },
  { version, idempotency }: OrderChange,
): Promise<CatalogueOrderRecord> =>
  inTransaction(async (tx) => {
    const order = await lockOpenOrder(tx, id, version);
    assertChecked(order, provider_checked);
    await cancelOrder(tx, caller, id, reason);
    await tx.audit(caller, {
      action: "catalogue_order.cancel",
      target: { type: "catalogue_order", id: String(id) },
      before: { status: order.status },
      after: { status: "cancelled" },
      reason,
    });
    return getOrderRecord(id);
  }, idempotency);

/**
 * Asks the provider about an open order of a top-up now: whether it has delivered it, or to deliver it.
 * @throws NOT_FOUND, CONFLICT when it has ended, was changed since, or no provider delivers it, IDEMPOTENCY_CONFLICT
 */
export const retryByAdmin = (
  caller: AdminPrincipal,
  id: number,
  { version, idempotency }: OrderChange,
): Promise<CatalogueOrderRecord> =>
  inTransaction(async (tx) => {
    const order = await lockOpenOrder(tx, id, version);
    if (order.card_id !== null || !deliversInstantly())
      throw new DomainError("CONFLICT", "No provider delivers this order.");
    await tx.query("UPDATE catalogue_orders SET next_try_at = now() WHERE id = $1", [id]);
    await tx.enqueue(fulfilJob, { order_id: id });
    await tx.audit(caller, { action: "catalogue_order.retry", target: { type: "catalogue_order", id: String(id) } });
    return getOrderRecord(id);
  }, idempotency);
