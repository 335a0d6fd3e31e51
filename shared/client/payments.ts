import { HubbubError } from "./errors.ts";
import type { Rest } from "./rest.ts";
import type { Operations } from "./social.generated.ts";
import { backoff, sleep } from "./timing.ts";

type Body<Op extends keyof Operations> = Operations[Op] extends { body?: infer B } ? NonNullable<B> : never;
type Query<Op extends keyof Operations> = Operations[Op] extends { query?: infer Q } ? Q : never;

/** The longest wait between two looks at an order, in milliseconds. */
const lookMax = 3000;
/** What the service accepts at once. */
const restoreMax = 50;

/**
 * Presents all that a store knows of the user, fifty at a time: what StoreKit signed, or purchase tokens of Play
 * Billing. Returns an order or the code of an error for each, in their order.
 */
const restoreWith =
  (request: Rest<Operations>["request"]) =>
  async (store: Body<"restorePurchases">["store"], proofs: readonly string[]) => {
    const restored: Operations["restorePurchases"]["data"] = [];
    for (let at = 0; at < proofs.length; at += restoreMax) {
      const some = proofs.slice(at, at + restoreMax);
      const body = store === "apple" ? { store, signed_transactions: some } : { store, purchase_tokens: some };
      restored.push(...(await request("restorePurchases", { body, repeat: true })));
    }
    return restored;
  };

/**
 * Purchases for money. What a store sold is credited once, however often it is presented: an app that lost an answer
 * calls again.
 */
export function paymentsOf({ request }: Pick<Rest<Operations>, "request">) {
  return {
    /** The packages, each with your best `offer`; with `platform`, what an app buys there, by `store_product_id`. */
    packages: (query?: Query<"listCoinPackages">) => request("listCoinPackages", { query }),
    /**
     * Orders a package on the web, with the offer that was shown, or the best one. The same key returns the same order,
     * with what the payment provider's checkout needs.
     */
    order: (body: Body<"createCoinOrder">, idempotencyKey?: string) =>
      request("createCoinOrder", { body, idempotencyKey }),
    /** Opens a coupon's offer to you: `packages` shows it from then on. */
    redeemCoupon: (code: string) => request("redeemCoupon", { params: { code }, repeat: true }),
    /** Your orders and what stores sold you, newest first. */
    list: (query?: Query<"listOrders">) => request("listOrders", { query }),
    get: (id: string) => request("getOrder", { params: { id } }),
    /** The receipt of a paid order and the notes of its refunds, each with the address of its page for an hour. */
    receipt: (id: string) => request("getReceipt", { params: { id } }),
    verify: (body: Body<"verifyPayment">) => request("verifyPayment", { body, repeat: true }),

    /**
     * Waits for the end of an order: paid, failed, expired, or refunded.
     * @param ms how long to wait at most
     * @throws HubbubError TIMEOUT if it is still open then; it may be paid later
     */
    async settled(id: string, ms = 120_000) {
      const end = Date.now() + ms;
      for (let attempt = 0; ; attempt += 1) {
        const order = await request("getOrder", { params: { id } });
        if (order.status !== "created") return order;
        const left = end - Date.now();
        if (left <= 0) throw new HubbubError("TIMEOUT", `The order wasn't settled within ${ms} ms.`);
        await sleep(Math.min(left, lookMax, backoff(attempt)));
      }
    },

    /** Presents `jwsRepresentation` of StoreKit. Finish the transaction when this has succeeded. */
    apple: (signed_transaction: string) => request("verifyApplePurchase", { body: { signed_transaction } }),
    /** Presents a purchase of Play Billing. */
    google: ({ productId, purchaseToken }: { readonly productId: string; readonly purchaseToken: string }) =>
      request("presentGooglePurchase", {
        body: { product_id: productId, purchase_token: purchaseToken },
        repeat: true,
      }),
    restore: restoreWith(request),

    /** VIP that renews, at a store or at Stripe. */
    subscriptions: () => request("listSubscriptions"),
    /** Ends a subscription with its period; where only the user can, returns the address of the store's page. */
    cancelSubscription: (id: string) => request("cancelSubscription", { params: { id } }),
  };
}
