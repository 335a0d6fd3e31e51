import type { CoinPackage, Order, Platform, StoreName, Wallet } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import type { Asset } from "#shared/domain/money/ledger/assets.ts";
import { debtOf } from "#shared/domain/money/ledger/debts.ts";
import { offersOf, rankedFor } from "#shared/domain/money/offers/offers.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { stepsIn } from "./payments.config.ts";

/** Returns the store of a platform's apps; null on the web, which has none. */
export const storeOf = (platform?: Platform): StoreName | null =>
  platform === "ios" ? "apple" : platform === "android" ? "google" : null;

/** Returns an expression for the ID of the product that apps buy at the store `$1` for a record, the latest of them. */
export const soldAtStore = (column: "coin_package_id" | "vip_plan_id", id: string): string =>
  `(SELECT product_id FROM store_products s WHERE s.${column} = ${id} AND s.store = $1 AND s.retired_at IS NULL
    ORDER BY s.id DESC LIMIT 1)`;

/**
 * Returns the packages on sale, in their order, with what an app for the platform buys at its store, and the user's
 * best offer there.
 */
export async function listCoinPackages(userId: string, platform?: Platform): Promise<CoinPackage[]> {
  const store = storeOf(platform);
  const [packages, offers] = await Promise.all([
    query<CoinPackage>(
      `SELECT id, name, coins, bonus_coins, price, currency,
         ${soldAtStore("coin_package_id", "coin_packages.id")} AS store_product_id
       FROM coin_packages WHERE retired_at IS NULL ORDER BY position, price, id`,
      [store],
    ),
    offersOf(userId),
  ]);
  return packages.map((pack) => {
    const listed = { ...pack, credit: pack.coins + pack.bonus_coins, amount: pack.price };
    const [best] = rankedFor(offers, listed, store ? null : stepsIn(pack.currency));
    if (!best) return pack;
    const { id, name, kind, ends_at } = best.offer;
    return { ...pack, offer: { id, name, kind, bonus_coins: best.value.bonus, price: best.value.amount, ends_at } };
  });
}

/** The status of an order: an overdue one is expired at once, before the job has expired it. */
export const shownStatus = "CASE WHEN status = 'created' AND expires_at <= now() THEN 'expired' ELSE status END";

export const orderColumns = `id, kind, ${shownStatus} AS status,
  amount, currency, coins, package_id, plan_id, provider, provider_order_id, created_at, paid_at,
  CASE WHEN offer_id IS NOT NULL THEN jsonb_build_object('id', offer_id, 'bonus_coins', offer_bonus,
    'discount', list_amount - amount) END AS offer`;

export interface OrderFilter extends PageQuery {
  readonly kind?: Order["kind"];
  readonly status?: Order["status"];
}

const own = `FROM payment_orders
  WHERE user_id = $1 AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR ${shownStatus} = $3)`;
const listed = {
  count: `SELECT count(*) ${own}`,
  rows: `SELECT ${orderColumns} ${own} ORDER BY id DESC LIMIT $4 OFFSET $5`,
};

/** Returns a user's orders, newest first. */
export const listOrders = (userId: string, filter: OrderFilter): Promise<Page<Order>> =>
  queryPage<Order>(listed, [userId, filter.kind ?? null, filter.status ?? null], filter);

/** An order with what dealing with its provider needs. */
export type PaymentOrderRow = Order & {
  user_id: string;
  /** What is bought, as shown to the payer. */
  title: string;
  /** What the payment credits: coins, or money of this order's currency. */
  asset: Asset;
  credit: number;
  /** The provider's page where it is paid, if the provider gave one. */
  checkout_url: string | null;
  expires_at: string;
  /** Whether its payment starts a subscription, with periods of `duration_days`. */
  renews: boolean;
  duration_days: number | null;
};

export const rowColumns = `${orderColumns}, user_id, title, asset, credit, checkout_url, expires_at, renews,
  duration_days`;

export const isPaid = ({ status }: Pick<Order, "status">): boolean => status === "paid" || status === "refunded";

export function findOrderRow(orderId: string): Promise<PaymentOrderRow | undefined> {
  return queryOne<PaymentOrderRow>(`SELECT ${rowColumns} FROM payment_orders WHERE id = $1`, [orderId]);
}

/** Returns whether a payment is recorded. */
export async function isPaymentKnown(provider: string, providerPaymentId: string): Promise<boolean> {
  const known = await query("SELECT 1 FROM payments WHERE provider = $1 AND provider_payment_id = $2", [
    provider,
    providerPaymentId,
  ]);
  return known.length > 0;
}

/** Returns a user's coins, and their debt to the house. @throws NOT_FOUND */
export async function getWallet(userId: string): Promise<Wallet> {
  const wallet = await queryOne<Wallet>(
    `SELECT w.balance, ${debtOf("w.user_id")} AS debt FROM wallets w WHERE w.user_id = $1 AND w.asset = 'coins'`,
    [userId],
  );
  if (!wallet) throw new DomainError("NOT_FOUND");
  return wallet;
}
