import { query, queryOne } from "#shared/db/query.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { smallestOf } from "#shared/kernel/decimal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { StoresSetup } from "../stores.config.ts";
import type { DemoApple } from "./demo-apple.ts";
import { receiveAppleNotice } from "./receive-apple-notice.ts";

let here: DemoApple | undefined;

/**
 * Returns the configured stores, and in development a stand-in for Apple's if it isn't configured: it sells to anyone,
 * for nothing, by a certificate authority of this process.
 */
export async function withDemoStore(
  configured: StoresSetup,
  environment: "development" | "test" | "production",
): Promise<StoresSetup> {
  here = undefined;
  if (configured.apple || environment !== "development") return configured;
  const { DemoApple } = await import("./demo-apple.ts");
  here = await DemoApple.start();
  const { bundleId, appId, rootCertificate } = here;
  return {
    ...configured,
    apple: { environment: "sandbox", bundleId, appId, rootCertificates: [rootCertificate], onlineChecks: false },
  };
}

export const hasDemoStore = (): boolean => here !== undefined;

function opened(): DemoApple {
  if (!here) throw new DomainError("NOT_FOUND");
  return here;
}

/** A subscription's times, if the product renews. */
const renewing = (days: number, startsAt: number) => ({
  type: "Auto-Renewable Subscription",
  purchaseDate: startsAt,
  expiresDate: startsAt + daysMs(days),
});

/**
 * Sells a product to a user. Returns what StoreKit signs for the app.
 * @throws NOT_FOUND (no such product, or no stand-in)
 */
export async function buyAtDemoStore(userId: string, productId: string): Promise<string> {
  const apple = opened();
  const found = await queryOne<{ price: number; currency: string; days: number | null }>(
    `SELECT coalesce(c.price, v.price)::bigint AS price, coalesce(c.currency, v.currency) AS currency, v.duration_days AS days
     FROM store_products p LEFT JOIN coin_packages c ON c.id = p.coin_package_id LEFT JOIN vip_plans v ON v.id = p.vip_plan_id
     WHERE p.store = 'apple' AND p.product_id = $1 AND p.retired_at IS NULL`,
    [productId],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  const { price, currency, days } = found;
  const now = clock.now();
  return apple.sign(
    apple.transaction(productId, {
      appAccountToken: userId,
      purchaseDate: now,
      signedDate: now,
      price: thousandths(price, currency),
      currency,
      ...(days !== null && renewing(days, now)),
    }),
  );
}

const thousandths = (amount: number, currency: string): number => (amount * Number(smallestOf(currency))) / 10;

/** What happens at the store without the app. */
export const demoEvents = ["refund", "renew", "cancel"] as const;

interface Sold {
  readonly transaction_id: string;
  readonly original_transaction_id: string;
  readonly product_id: string;
  readonly user_id: string;
  readonly purchased_at: string;
  readonly period_ends_at: string | null;
  readonly days: number | null;
  readonly amount: number;
  readonly currency: string;
}

/**
 * Refunds an order, or renews or cancels a subscription, and notifies the service as Apple's server does.
 * @param of the ID of the order or the subscription
 * @throws NOT_FOUND (it isn't this store's, or no stand-in)
 */
export async function tellOfDemoStore(event: (typeof demoEvents)[number], of: string): Promise<void> {
  const apple = opened();
  const [sold] = await query<Sold>(
    `SELECT p.transaction_id, p.original_transaction_id, s.product_id, p.user_id, p.purchased_at, p.period_ends_at,
       v.duration_days AS days, o.amount, o.currency
     FROM store_purchases p JOIN store_products s ON s.id = p.product_id JOIN payment_orders o ON o.id = p.order_id
       LEFT JOIN vip_plans v ON v.id = s.vip_plan_id
     WHERE p.provider = 'apple' AND p.environment = 'sandbox' AND $1::uuid IN (p.order_id, p.subscription_id)
     ORDER BY p.period_ends_at DESC NULLS LAST LIMIT 1`,
    [of],
  );
  if (!sold || (event !== "refund" && sold.days === null)) throw new DomainError("NOT_FOUND");
  const signedDate = clock.now();
  const { type, transaction, autoRenewStatus = 1 } = noticeOf(event, apple, sold, signedDate);
  const notice = await apple.notice(type, {
    transaction: { ...transaction, signedDate },
    signedDate,
    ...(sold.days !== null && {
      data: { status: event === "refund" ? 5 : 1 },
      renewal: { autoRenewStatus, autoRenewProductId: sold.product_id },
    }),
  });
  await receiveAppleNotice(Buffer.from(JSON.stringify({ signedPayload: await apple.sign(notice) })));
}

function noticeOf(event: (typeof demoEvents)[number], apple: DemoApple, sold: Sold, now: number) {
  const { transaction_id, original_transaction_id, product_id, user_id, amount, currency, days, period_ends_at } = sold;
  const purchaseDate = Date.parse(sold.purchased_at);
  const common = {
    appAccountToken: user_id,
    originalTransactionId: original_transaction_id,
    price: thousandths(amount, currency),
    currency,
  };
  const known = apple.transaction(product_id, {
    ...common,
    transactionId: transaction_id,
    purchaseDate,
    ...(days !== null && { ...renewing(days, purchaseDate), expiresDate: Date.parse(period_ends_at!) }),
  });
  if (event === "refund")
    return { type: "REFUND", transaction: { ...known, revocationDate: now, revocationReason: 0 } };
  if (event === "cancel") return { type: "DID_CHANGE_RENEWAL_STATUS", transaction: known, autoRenewStatus: 0 };
  const next = apple.transaction(product_id, { ...common, ...renewing(days!, Date.parse(period_ends_at!)) });
  return { type: "DID_RENEW", transaction: next };
}
