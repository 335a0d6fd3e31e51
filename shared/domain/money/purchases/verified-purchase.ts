import type { Tx } from "#shared/db/transaction.ts";
import { draftOfPackage, type PaymentOrderDraft } from "#shared/domain/money/payments/create-order.ts";
import { draftOfPlan } from "#shared/domain/money/store/order-vip.ts";
import { VipPlanModel } from "#shared/domain/money/store/vip-plan.model.ts";
import { isId } from "#shared/kernel/ids.ts";

/** Who sells what isn't ordered here first: the app stores, and Stripe when a subscription renews. */
export type PurchaseProvider = "apple" | "google" | "stripe";

/** A purchase as its provider has proved it, whichever provider it was. */
export interface VerifiedPurchase {
  readonly provider: PurchaseProvider;
  readonly environment: "production" | "sandbox";
  /** The provider's ID of this purchase, or of this period; it identifies the order and its payment, too. */
  readonly transactionId: string;
  /** The ID that purchases of a subscription share; otherwise the same. */
  readonly originalTransactionId: string;
  /** The provider's ID of the order, if it was ordered here first. Default: `transactionId`. */
  readonly orderedAs?: string | undefined;
  /** The user that the app named when it bought, as the provider repeats it; null if it named none. */
  readonly userId: string | null;
  /** The product at the store, or the plan of a provider without products. */
  readonly item: PurchasedItem;
  readonly quantity: number;
  /** Minor units of `currency`; null if the provider doesn't say what was paid. */
  readonly price: { readonly amount: number; readonly currency: string } | null;
  /** ISO 3166-1 alpha-2, for the price if the provider doesn't say it. */
  readonly country?: string | undefined;
  /** The money isn't there yet. */
  readonly pending?: boolean;
  /** ISO 8601. */
  readonly purchasedAt: string;
  /** Of a subscription. Without one, a plan lasts as long as it says, from the payment on. */
  readonly period?: { readonly startsAt: string; readonly endsAt: string };
  /** What the provider signed or answered, for its hash. */
  readonly receipt: string;
  /** By when the provider must be told that this was delivered; null if it needn't be. */
  readonly acknowledgeBy?: string | null;
}

export type PurchasedItem = { readonly productId: string } | { readonly planId: string };

/** What we sell as a product of a store or as a plan. */
export interface ItemSold {
  /** Our ID of the store's product. */
  readonly storeProductId: string | null;
  readonly packageId: string | null;
  readonly planId: string | null;
  readonly prices: readonly { readonly country: string; readonly amount: number; readonly currency: string }[];
}

/** Step: returns what we sell as this, also if it is retired; undefined if we know no such product. */
export async function itemSold(tx: Tx, provider: PurchaseProvider, item: PurchasedItem): Promise<ItemSold | undefined> {
  if ("planId" in item) {
    const known = isId(item.planId) && (await VipPlanModel.read({ id: item.planId }, ["id"]));
    return known ? { storeProductId: null, packageId: null, planId: item.planId, prices: [] } : undefined;
  }
  const [product] = await tx.query<ItemSold>(
    `SELECT id AS "storeProductId", coin_package_id AS "packageId", vip_plan_id AS "planId", prices
     FROM store_products WHERE store = $1 AND product_id = $2`,
    [provider, item.productId],
  );
  return product;
}

const dayMs = 86_400_000;

/**
 * Step: returns the order of a purchase. What it costs is what the provider says, else the tier of the country, else
 * our own price.
 */
export async function draftOfPurchase(tx: Tx, purchase: VerifiedPurchase, sold: ItemSold): Promise<PaymentOrderDraft> {
  const { quantity, period } = purchase;
  const draft = sold.packageId
    ? await draftOfPackage(tx, sold.packageId, { evenRetired: true })
    : await draftOfPlan(tx, sold.planId!, { evenRetired: true });
  const tier = sold.prices.find(({ country }) => country === purchase.country) ?? draft;
  const { amount, currency } = purchase.price ?? { amount: tier.amount * quantity, currency: tier.currency };
  return {
    ...draft,
    // This pays for one period, and the provider says when there is another.
    renews: false,
    amount,
    currency,
    ...(draft.credit !== undefined && { credit: draft.credit * quantity }),
    ...(quantity > 1 && { title: `${draft.title} × ${quantity}` }),
    ...(period && {
      duration_days: Math.min(
        3660,
        Math.max(1, Math.round((Date.parse(period.endsAt) - Date.parse(period.startsAt)) / dayMs)),
      ),
    }),
  };
}
