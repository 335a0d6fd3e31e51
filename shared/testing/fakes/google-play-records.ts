import { randomBytes } from "node:crypto";
import { clock } from "#shared/kernel/clock.ts";

export interface Money {
  readonly currencyCode: string;
  readonly units?: string;
  readonly nanos?: number;
}

/** An `Order` of Google's API. */
export interface PlayOrder {
  readonly orderId: string;
  readonly purchaseToken: string;
  state: "PENDING" | "PROCESSED" | "PARTIALLY_REFUNDED" | "REFUNDED";
  readonly createTime: string;
  readonly total: Money;
  readonly lineItems: readonly object[];
  orderHistory: { partialRefundEvents?: object[]; refundEvent?: object };
}

/** An entry of `purchases.voidedpurchases.list`, and when Google's list shows it. */
export interface VoidedPurchase {
  readonly kind: "androidpublisher#voidedPurchase";
  readonly purchaseToken: string;
  readonly orderId: string;
  readonly purchaseTimeMillis: string;
  readonly voidedTimeMillis: string;
  readonly voidedSource: number;
  readonly voidedReason: number;
  readonly seenMs: number;
}

export interface Bought {
  readonly productId: string;
  /** What the app set as `obfuscatedAccountId`. */
  readonly account?: string | undefined;
  readonly total?: Money;
  /** Bought by a license tester. */
  readonly test?: boolean;
  readonly pending?: boolean;
  readonly quantity?: number;
  /** Bought with a promotion code, so that there is no order. */
  readonly promotion?: boolean;
  /** The token of the subscription that this one replaces. */
  readonly replaces?: string;
  /** Default: 30 days from now. */
  readonly until?: string;
  readonly more?: object;
}

export const newToken = (): string =>
  `${randomBytes(12).toString("hex")}.AO-J1O${randomBytes(48).toString("base64url")}`;

const digits = (count: number): string => [...randomBytes(count)].map((byte) => byte % 10).join("");
export const newOrderId = (): string => `GPA.${digits(4)}-${digits(4)}-${digits(4)}-${digits(5)}`;

const iso = (ms: number): string => new Date(ms).toISOString();

/** A purchase of a one-time product, as `ProductPurchaseV2`. */
export class PlayProduct {
  readonly productId: string;
  readonly shown;

  constructor(orderId: string | undefined, { productId, account, test, pending, quantity = 1, more }: Bought) {
    this.productId = productId;
    this.shown = {
      kind: "androidpublisher#productPurchaseV2",
      purchaseStateContext: { purchaseState: pending ? "PENDING" : "PURCHASED" },
      ...(test && { testPurchaseContext: { fopType: "TEST" } }),
      ...(orderId && { orderId }),
      ...(account && { obfuscatedExternalAccountId: account }),
      regionCode: "IN",
      productLineItem: [
        {
          productId,
          productOfferDetails: {
            purchaseOptionId: "legacy-base",
            quantity,
            refundableQuantity: quantity,
            consumptionState: "CONSUMPTION_STATE_YET_TO_BE_CONSUMED",
          },
        },
      ],
      ...(!pending && { purchaseCompletionTime: iso(clock.now()) }),
      acknowledgementState: "ACKNOWLEDGEMENT_STATE_PENDING",
      ...more,
    };
  }

  get isConsumed(): boolean {
    return this.shown.productLineItem[0]!.productOfferDetails.consumptionState === "CONSUMPTION_STATE_CONSUMED";
  }

  /** The payment of a pending purchase has arrived, or hasn't in time. */
  end(state: "PURCHASED" | "CANCELLED"): void {
    this.shown.purchaseStateContext.purchaseState = state;
  }

  consume(): boolean {
    if (this.isConsumed || this.shown.purchaseStateContext.purchaseState !== "PURCHASED") return false;
    this.shown.productLineItem[0]!.productOfferDetails.consumptionState = "CONSUMPTION_STATE_CONSUMED";
    this.shown.acknowledgementState = "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED";
    return true;
  }
}

interface LineItem {
  readonly productId: string;
  expiryTime?: string;
  latestSuccessfulOrderId?: string;
  readonly autoRenewingPlan: { autoRenewEnabled: boolean; readonly recurringPrice?: Money };
  readonly offerDetails: object;
  readonly offerPhase: object;
}

/** A subscription, as `SubscriptionPurchaseV2`. */
export class PlaySubscription {
  readonly productId: string;
  readonly shown;

  constructor(orderId: string, { productId, account, test, pending, total, replaces, until, more }: Bought) {
    this.productId = productId;
    const expiryTime = until ?? iso(clock.now() + 30 * 86_400_000);
    this.shown = {
      kind: "androidpublisher#subscriptionPurchaseV2",
      ...(!pending && { startTime: iso(clock.now()) }),
      regionCode: "IN",
      subscriptionState: pending ? "SUBSCRIPTION_STATE_PENDING" : "SUBSCRIPTION_STATE_ACTIVE",
      latestOrderId: orderId,
      ...(replaces && { linkedPurchaseToken: replaces }),
      ...(test && { testPurchase: {} }),
      acknowledgementState: "ACKNOWLEDGEMENT_STATE_PENDING",
      ...(account && { externalAccountIdentifiers: { obfuscatedExternalAccountId: account } }),
      etag: "AAAA",
      lineItems: [
        {
          productId,
          ...(!pending && { expiryTime, latestSuccessfulOrderId: orderId }),
          autoRenewingPlan: { autoRenewEnabled: true, ...(total && { recurringPrice: total }) },
          offerDetails: { basePlanId: "monthly" },
          offerPhase: { basePrice: {} },
        },
      ] as LineItem[],
      ...more,
    };
  }

  /** Changes its state, and what comes with it. */
  become(state: string, { until, orderId }: { readonly until?: string; readonly orderId?: string } = {}): void {
    this.shown.subscriptionState = `SUBSCRIPTION_STATE_${state}`;
    const line = this.shown.lineItems[0]!;
    if (until) line.expiryTime = until;
    if (orderId) line.latestSuccessfulOrderId = orderId;
    line.autoRenewingPlan.autoRenewEnabled = state !== "CANCELED" && state !== "EXPIRED";
  }

  acknowledge(productId: string): boolean {
    if (productId !== this.productId || this.shown.subscriptionState === "SUBSCRIPTION_STATE_PENDING") return false;
    this.shown.acknowledgementState = "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED";
    return true;
  }

  cancel(): boolean {
    if (!/ACTIVE|IN_GRACE_PERIOD|ON_HOLD|PAUSED/.test(this.shown.subscriptionState)) return false;
    this.become("CANCELED");
    return true;
  }
}
