import Joi from "joi";
import { type Infer, listOf, object, optional, withDefault } from "#shared/contracts/fields.ts";

/**
 * The fields of Google Play's resources that are used here, androidpublisher v3:
 * https://developers.google.com/android-publisher/api-ref/rest/v3. Values that Google may add are left as they are.
 */

const text = () => Joi.string().max(1000);
const time = () => Joi.string().isoDate();
const money = object({
  currencyCode: Joi.string().pattern(/^[A-Z]{3}$/),
  /** Both are absent when they are 0. */
  units: withDefault(Joi.string().pattern(/^-?\d{1,13}$/), "0"),
  nanos: withDefault(Joi.number().integer(), 0),
});

/** `purchases.productsv2` */
export const productPurchase = object({
  purchaseStateContext: object({ purchaseState: text() }),
  productLineItem: listOf(
    object({
      productId: text(),
      productOfferDetails: withDefault(
        object({
          quantity: withDefault(Joi.number().integer().min(1), 1),
          consumptionState: optional(text()),
        }),
        { quantity: 1 },
      ),
    }),
  ),
  orderId: optional(text()),
  obfuscatedExternalAccountId: optional(text()),
  regionCode: optional(text()),
  purchaseCompletionTime: optional(time()),
  /** Present in test purchases only. */
  testPurchaseContext: optional(object({})),
});
export type ProductPurchase = Infer<typeof productPurchase>;

const account = object({ obfuscatedExternalAccountId: optional(text()) });

/** `purchases.subscriptionsv2` */
export const subscriptionPurchase = object({
  subscriptionState: text(),
  lineItems: listOf(
    object({
      productId: text(),
      expiryTime: optional(time()),
      /** Absent for what isn't owned yet. */
      latestSuccessfulOrderId: optional(text()),
      deferredItemReplacement: optional(object({ productId: optional(text()) })),
      autoRenewingPlan: optional(
        object({
          autoRenewEnabled: withDefault(Joi.boolean(), false),
          priceChangeDetails: optional(object({ priceChangeState: optional(text()) })),
        }),
      ),
    }),
  ),
  startTime: optional(time()),
  latestOrderId: optional(text()),
  regionCode: optional(text()),
  linkedPurchaseToken: optional(text()),
  acknowledgementState: optional(text()),
  externalAccountIdentifiers: optional(account),
  /** Of one that was bought again in the Play Store after it had expired. */
  outOfAppPurchaseContext: optional(object({ expiredExternalAccountIdentifiers: optional(account) })),
  /** Present in test purchases only. */
  testPurchase: optional(object({})),
});
export type SubscriptionPurchase = Infer<typeof subscriptionPurchase>;

/** `orders` */
export const googleOrder = object({
  orderId: text(),
  purchaseToken: optional(text()),
  state: text(),
  createTime: optional(time()),
  total: optional(money),
  orderHistory: optional(
    object({
      refundEvent: optional(object({ eventTime: optional(time()), refundReason: optional(text()) })),
      partialRefundEvents: optional(
        listOf(
          object({
            state: optional(text()),
            processTime: optional(time()),
            refundDetails: optional(object({ total: optional(money) })),
          }),
        ),
      ),
    }),
  ),
});
export type GoogleOrder = Infer<typeof googleOrder>;

/** `purchases.voidedpurchases.list` */
export const voidedPurchases = object({
  voidedPurchases: withDefault(
    listOf(object({ purchaseToken: text(), orderId: optional(text()), voidedTimeMillis: optional(text()) })),
    [],
  ),
  tokenPagination: optional(object({ nextPageToken: optional(text()) })),
});
export type VoidedPurchases = Infer<typeof voidedPurchases>;

/**
 * Returns an amount in the smallest unit of its currency, rounded: Google's amounts have nine decimals.
 */
export function minorUnitsOf({ currencyCode, units, nanos }: Infer<typeof money>): number {
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency: currencyCode,
  }).resolvedOptions();
  return Math.round((Number(units) + nanos / 1e9) * 10 ** decimals);
}
