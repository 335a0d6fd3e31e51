import { guestRights } from "#shared/contracts/guest-rights.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** Asserts that another user may be given what guests may not have. @throws GUEST_NOT_ALLOWED */
export async function assertNoGuest(userId: string): Promise<void> {
  if ((await User.read({ id: userId }, ["is_guest"]))?.is_guest)
    throw new DomainError("GUEST_NOT_ALLOWED", "Guests can't take a seat or moderate a room.");
}

/**
 * Asserts that a caller who may be a guest may do something that isn't reading: `name` is the ID of an operation, or
 * the name of an event.
 * @throws GUEST_NOT_ALLOWED
 */
export function assertGuestMay({ isGuest }: UserPrincipal, name: string): void {
  if (!isGuest) return;
  const right = guestRights.get(name);
  if (right === "always" || (right && setting("guests_may").includes(right))) return;
  throw new DomainError("GUEST_NOT_ALLOWED");
}
