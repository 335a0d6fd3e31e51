import type { PayoutProviderName } from "#shared/contracts/views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PayoutProvider } from "./providers/payout-provider.ts";

let providers: ReadonlyMap<string, PayoutProvider> = new Map();

/** Sets the providers that are configured; called at the start. Bank files need none. */
export function configurePayouts(configured: readonly PayoutProvider[]): void {
  providers = new Map(configured.map((one) => [one.name, one]));
}

/** Returns the providers whose payouts are sent by the job. */
export const payoutProviderNames = (): string[] => [...providers.keys()];

/** Returns the providers that methods can be of. */
export const availablePayoutProviders = (): string[] => ["bank_file", ...providers.keys()];

/** @throws NOT_FOUND when it isn't configured */
export function payoutProvider(name: PayoutProviderName | (string & {})): PayoutProvider {
  const provider = providers.get(name);
  if (!provider) throw new DomainError("NOT_FOUND", "This payout provider isn't available.");
  return provider;
}
