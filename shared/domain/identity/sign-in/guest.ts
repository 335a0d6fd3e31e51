import { createHash, randomBytes } from "node:crypto";
import type { SignedIn } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { invalidCredentials } from "#shared/domain/identity/accounts/accounts.errors.ts";
import type { ClientDevice } from "#shared/domain/identity/sessions/open-session.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { NewProfile } from "./new-profile.ts";
import { signIn } from "./sign-in.ts";

const secretBytes = 32;

/** No salt: a random secret can't be guessed. */
const subjectOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** A guest who has logged in. The secret is shown when the account is made, and never again. */
export interface GuestSignedIn extends SignedIn {
  readonly guest_secret: string | null;
}

/**
 * Registers a guest: an account without a name, bound to a secret. With the secret, logs that guest in again.
 * @throws GUEST_NOT_ALLOWED when the settings allow no guests, INVALID_CREDENTIALS for an unknown secret
 */
export async function signInAsGuest(
  secret: string | undefined,
  profile: NewProfile,
  device: ClientDevice,
): Promise<GuestSignedIn> {
  if (!setting("guests_enabled")) throw new DomainError("GUEST_NOT_ALLOWED", "This service allows no guests.");
  if (secret === undefined) {
    const made = randomBytes(secretBytes).toString("base64url");
    const way = { provider: "guest", subject: subjectOf(made), guest: true } as const;
    return { ...(await signIn(way, profile, device)), guest_secret: made };
  }
  const subject = subjectOf(secret);
  if (!(await queryOne("SELECT 1 FROM identities WHERE provider = 'guest' AND subject = $1", [subject])))
    throw invalidCredentials();
  return { ...(await signIn({ provider: "guest", subject, guest: true }, profile, device)), guest_secret: null };
}
