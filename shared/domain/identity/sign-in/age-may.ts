import { featureOf, openWhileFrozen } from "#shared/contracts/age-rights.ts";
import type { KeyHolderPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { currentAge } from "#shared/domain/identity/sessions/current-age.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Asserts that a caller may do something at their age: `name` is the ID of an operation, or the name of an event.
 * @throws CONSENT_REQUIRED while the account is frozen, AGE_RESTRICTED when the settings deny it to the caller's band
 */
export function assertAgeMay(caller: UserPrincipal | KeyHolderPrincipal, name: string): void {
  const age = currentAge(caller);
  if (!age) return;
  if (age === "frozen") {
    if (!openWhileFrozen.has(name)) throw new DomainError("CONSENT_REQUIRED");
    return;
  }
  const feature = featureOf.get(name);
  if (feature && !setting(`${age}_may`).includes(feature)) throw new DomainError("AGE_RESTRICTED");
}
