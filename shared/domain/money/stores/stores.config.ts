import { configureCancellation } from "#shared/domain/money/subscriptions/cancel-subscription.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { AppleStore, type AppleStoreSetup } from "./apple/apple-store.ts";
import { cancelAtGoogle } from "./google/cancel-subscription.ts";

export interface StoresSetup {
  /** If absent, nothing is bought at Apple's store. */
  readonly apple?: AppleStoreSetup;
}

let appleHere: AppleStore | undefined;

/** Configures the stores that apps buy at; called at the start. */
export function configureStores({ apple: setup }: StoresSetup): void {
  appleHere = setup && new AppleStore(setup);
  configureCancellation("google", { cancel: cancelAtGoogle });
}

/** Returns Apple's store. @throws NOT_FOUND when it isn't configured */
export function appleStore(): AppleStore {
  if (!appleHere) throw new DomainError("NOT_FOUND", "This store isn't configured.");
  return appleHere;
}
