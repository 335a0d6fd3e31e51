import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order, OrderToPay } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { type Asset, coins } from "#shared/domain/money/ledger/assets.ts";
import { applyOffer, lockOrders, releaseOffers } from "#shared/domain/money/offers/apply-offer.ts";
import type { PriceSteps } from "#shared/domain/money/offers/offer-value.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { chosenProvider, providerNamed } from "./payments.config.ts";
import { orderClosed, packageNotSold, tooManyOpenOrders } from "./payments.errors.ts";
import { findOrderRow, type PaymentOrderRow } from "./payments.queries.ts";
import type { OpenOrder, OrderToOpen } from "./providers/provider.ts";
import { assertMayPurchase } from "./purchase-bounds.ts";

/** How long an order waits for its payment. */
export const orderLifeMinutes = 30;
/** The orders of a user that may wait for their payment at once. */
export const openOrdersMax = 10;

/** The item that is ordered, at its current price. */
export interface PaymentOrderDraft extends Pick<PaymentOrderRow, "kind" | "amount" | "currency" | "title"> {
  /** What the payment credits, of `asset`, which is coins by default. */
  readonly credit?: number;
  readonly asset?: Asset;
  readonly package_id?: string;
  readonly plan_id?: string;
  readonly duration_days?: number;
  /** Whether it starts a subscription, at a provider where it can. */
  readonly renews?: boolean;
  /** See `AppliedOffer`. */
  readonly offer_id?: string;
  readonly list_amount?: number;
  readonly offer_bonus?: number;
}

/**
 * Creates an order of a package of coins, to be paid at the chosen provider, with the buyer's best offer, or the one
 * that they were shown. Price and coins are fixed now, whatever an administrator changes before the payment.
 * @throws NOT_FOUND (package not on sale), CONFLICT (the offer is no longer available), ENGINE_UNAVAILABLE (no
 *   provider, or unreachable), ORDER_NOT_PAYABLE (also if the provider refuses it), IDEMPOTENCY_CONFLICT,
 *   RATE_LIMITED (too many orders wait for their payment)
 */
export function orderCoins(
  caller: UserPrincipal,
  packageId: string,
  idempotency?: IdempotentCall,
  offerId?: string,
): Promise<OrderToPay> {
  const draft = async (tx: Tx, steps: (currency: string) => PriceSteps) => {
    const pack = await draftOfPackage(tx, packageId);
    return withOffer(tx, caller.userId, pack, steps(pack.currency), offerId);
  };
  return createOrder(caller, draft, idempotency);
}

/** Step: returns what is ordered, a package with the best offer, or the one with `offerId`; see `applyOffer`. */
export async function withOffer(
  tx: Tx,
  userId: string,
  draft: PaymentOrderDraft,
  steps: PriceSteps,
  offerId?: string,
): Promise<PaymentOrderDraft> {
  const { package_id: id, credit } = draft;
  if (!id || !credit) return draft;
  const offer = await applyOffer(tx, userId, { ...draft, id, credit }, steps, offerId);
  return offer ? { ...draft, ...offer, title: titleWith(draft.title, offer.credit) } : draft;
}

/** Returns the title of an order with another number of coins. */
export const titleWith = (title: string, credit: number): string => title.replace(/\d+ coins$/, `${credit} coins`);

/**
 * Step: returns what a package sells. A store may have sold one that is retired by now.
 * @throws NOT_FOUND (not on sale)
 */
export async function draftOfPackage(
  tx: Tx,
  packageId: string,
  { evenRetired = false } = {},
): Promise<PaymentOrderDraft> {
  const [found] = await tx.query<{ name: string; coins: number; price: number; currency: string }>(
    `SELECT name, coins + bonus_coins AS coins, price, currency FROM coin_packages
     WHERE id = $1 AND (retired_at IS NULL OR $2)`,
    [packageId, evenRetired],
  );
  if (!found) throw packageNotSold();
  const { name, coins: credit, price: amount, currency } = found;
  return { kind: "coins", amount, currency, credit, package_id: packageId, title: `${name}: ${found.coins} coins` };
}

/**
 * Creates an order from `draft` and opens it at the chosen provider. The order is committed first, because a
 * transaction changes nothing outside the database. A repeated call with the same key continues where the first one
 * ended, and returns the same. Of a plan that renews, a user has one open order.
 */
export async function createOrder(
  caller: Pick<UserPrincipal, "userId">,
  draft: (tx: Tx, steps: (currency: string) => PriceSteps) => Promise<PaymentOrderDraft>,
  idempotency?: IdempotentCall,
): Promise<OrderToPay> {
  const { name: provider, limitsIn, canRenew = false } = chosenProvider();
  let isNew = false;
  const { id } = await inTransaction(async (tx) => {
    await assertFewOpenOrders(tx, caller.userId);
    const drafted = await draft(tx, limitsIn);
    await assertMayPurchase(caller.userId, drafted);
    const renews = canRenew && drafted.renews === true;
    const open = renews ? await openRenewal(tx, caller.userId, provider, drafted.plan_id!) : undefined;
    isNew = !open;
    return { id: open ?? (await insertOrder(tx, caller.userId, provider, { ...drafted, renews })) };
  }, idempotency);

  const row = (await findOrderRow(id))!;
  const opened = row.provider_order_id ? row : { ...row, ...(await openAtProvider(row, !isNew)) };
  return {
    order: toOrder({ ...opened, status: "created", paid_at: null }),
    providerPayload: providerNamed(row.provider).payloadOf(toOpenOrder(opened)),
  };
}

/** Orders that a user creates concurrently wait here for each other, so that each sees those before it. */
async function assertFewOpenOrders(tx: Tx, userId: string): Promise<void> {
  await lockOrders(tx, userId);
  const [open] = await tx.query<{ orders: number; wait: number | null }>(
    `SELECT count(*) AS orders, ceil(extract(epoch FROM min(expires_at) - now()))::integer AS wait
     FROM payment_orders WHERE user_id = $1 AND status = 'created' AND expires_at > now()`,
    [userId],
  );
  if (open && open.orders >= openOrdersMax) throw tooManyOpenOrders(openOrdersMax, Math.max(1, open.wait ?? 1));
}

/**
 * Returns the order of the same plan that waits for its payment, at whatever price: a user who orders again pays that
 * one, since both could be paid, and would renew.
 */
async function openRenewal(tx: Tx, userId: string, provider: string, planId: string): Promise<string | undefined> {
  const [open] = await tx.query<{ id: string }>(
    `SELECT id FROM payment_orders WHERE user_id = $1 AND provider = $2 AND plan_id = $3
       AND renews AND status = 'created' AND expires_at > now() ORDER BY id LIMIT 1`,
    [userId, provider, planId],
  );
  return open?.id;
}

/** Step: stores an order. What a store has sold already has the provider's ID from the start. */
export async function insertOrder(
  tx: Tx,
  userId: string,
  provider: string,
  draft: PaymentOrderDraft,
  providerOrderId: string | null = null,
): Promise<string> {
  const id = newId();
  const { kind, amount, currency, title, asset = coins, credit = 0 } = draft;
  const { package_id = null, plan_id = null, duration_days = null } = draft;
  const { renews = false, offer_id = null, list_amount = null, offer_bonus = null } = draft;
  await tx.query(
    `INSERT INTO payment_orders
       (id, user_id, kind, amount, currency, title, asset, credit, package_id, plan_id, duration_days, provider,
        provider_order_id, expires_at, offer_id, list_amount, offer_bonus, offer_held, renews)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, now() + $14 * interval '1 minute', $15::uuid, $16,
       $17, $15 IS NOT NULL, $18)`,
    [
      id,
      userId,
      kind,
      amount,
      currency,
      title,
      asset,
      credit,
      package_id,
      plan_id,
      duration_days,
      provider,
      providerOrderId,
      orderLifeMinutes,
      offer_id,
      list_amount,
      offer_bonus,
      renews,
    ],
  );
  return id;
}

/**
 * Returns the provider's id of the order, and its page. Of two concurrent calls, the first one's counts; the other's is
 * never shown.
 */
async function openAtProvider(row: PaymentOrderRow, again: boolean): Promise<Opened> {
  if (row.status !== "created") throw orderClosed();
  const { providerOrderId, checkoutUrl } = await providerNamed(row.provider)
    .openOrder(toOrderToOpen(row), again)
    .catch(async (error: unknown) => {
      if (error instanceof DomainError && error.code === "ORDER_NOT_PAYABLE")
        await inTransaction(async (tx) => {
          await tx.query("UPDATE payment_orders SET status = 'failed' WHERE id = $1 AND status = 'created'", [row.id]);
          await releaseOffers(tx, [row.id]);
        });
      throw error;
    });
  const kept = await alone<Opened>(
    `UPDATE payment_orders SET provider_order_id = coalesce(provider_order_id, $2),
       checkout_url = CASE WHEN provider_order_id IS NULL THEN $3 ELSE checkout_url END
     WHERE id = $1 RETURNING provider_order_id, checkout_url`,
    [row.id, providerOrderId, checkoutUrl],
  );
  return kept[0]!;
}

type Opened = Pick<PaymentOrderRow, "provider_order_id" | "checkout_url">;

const toOrderToOpen = ({
  id,
  amount,
  currency,
  title,
  expires_at,
  renews,
  user_id: userId,
  plan_id: planId,
  duration_days: days,
}: PaymentOrderRow): OrderToOpen => ({
  id,
  amount,
  currency,
  title,
  expiresAt: expires_at,
  ...(renews && planId && days && { renewal: { userId, planId, days } }),
});

/** Converts the row of an order that was opened at its provider. */
export const toOpenOrder = (row: PaymentOrderRow): OpenOrder => ({
  ...toOrderToOpen(row),
  providerOrderId: row.provider_order_id!,
  checkoutUrl: row.checkout_url,
});

export const toOrder = ({
  user_id: _user,
  title: _title,
  asset: _asset,
  credit: _credit,
  checkout_url: _page,
  expires_at: _end,
  renews: _renews,
  duration_days: _days,
  ...order
}: PaymentOrderRow): Order => order;
