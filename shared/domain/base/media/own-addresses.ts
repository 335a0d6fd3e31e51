import { setting } from "#shared/domain/base/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { publicMediaUrl } from "./media.config.ts";

/**
 * Throws for addresses outside of this service, unless the setting `foreign_addresses_allowed` allows them.
 * @throws VALIDATION_ERROR
 */
export function assertOwnAddresses(addresses: readonly (string | null | undefined)[]): void {
  if (setting("foreign_addresses_allowed")) return;
  for (const address of addresses)
    if (address && !address.startsWith(`${publicMediaUrl()}/media/`))
      throw new DomainError("VALIDATION_ERROR", "Upload the picture, and send its ID instead of an address.");
}
