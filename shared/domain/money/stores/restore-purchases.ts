import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order, RestoredPurchase, StoreName } from "#shared/contracts/views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { verifyApplePurchase } from "./apple/verify-apple.ts";
import { googlePlay } from "./google/google.config.ts";
import { presentGooglePurchase } from "./google/present-purchase.ts";
import { appleStore } from "./stores.config.ts";

/** What a user presents at once, at most. */
export const restoredMax = 50;

type Present = (caller: UserPrincipal, proof: string) => Promise<Order>;

/** What makes orders of what each store's app presents. They throw NOT_FOUND if the store isn't configured. */
const presenters: { readonly [Store in StoreName]: () => Present } = {
  apple: () => {
    appleStore();
    return (caller, proof) => verifyApplePurchase(caller, proof);
  },
  google: () => {
    googlePlay();
    return (caller, purchase_token) => presentGooglePurchase(caller, { purchase_token });
  },
};

/**
 * Records the purchases that an app finds at its store, such as on a new phone. One that is refused doesn't keep the
 * others from being restored.
 * @throws NOT_FOUND (the store isn't configured), ENGINE_UNAVAILABLE
 */
export async function restorePurchases(
  caller: UserPrincipal,
  store: StoreName,
  proofs: readonly string[],
): Promise<RestoredPurchase[]> {
  const present = presenters[store]();
  const restored: RestoredPurchase[] = [];
  for (const proof of proofs)
    try {
      restored.push({ order_id: (await present(caller, proof)).id, error: null });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === "ENGINE_UNAVAILABLE") throw error;
      restored.push({ order_id: null, error: error.code });
    }
  return restored;
}
