import { line } from "#shared/contracts/fields.ts";
import type { SignedIn } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { ClientDevice } from "#shared/domain/identity/sessions/open-session.ts";
import type { NewProfile } from "./new-profile.ts";
import { exchangeLater } from "./provider-tokens.ts";
import { signIn, type Way } from "./sign-in.ts";
import { type Proof, tokenRejected, verifyIdToken } from "./verify-id-token.ts";

/** An ID token as a client sends it. */
export interface IdToken {
  readonly id_token: string;
  readonly nonce: string;
  /** The code that Apple returned beside the token. */
  readonly authorization_code?: string;
}

/**
 * Logs in by the ID token of an OpenID provider, or registers an account. A token logs in once.
 * @throws NOT_FOUND when the provider isn't configured, INVALID_CREDENTIALS, ENGINE_UNAVAILABLE when its keys can't be
 *   read, and what `signIn` throws
 */
export async function signInWithToken(
  provider: string,
  { id_token, nonce, authorization_code }: IdToken,
  profile: NewProfile,
  device: ClientDevice,
): Promise<SignedIn> {
  return signIn(wayOf(await verifyIdToken(provider, id_token, nonce), authorization_code), profile, device);
}

/** Returns the way in that a verified token is; `code` is exchanged when it is taken. */
export const wayOf = (proof: Proof, code?: string): Way => ({
  provider: proof.provider,
  subject: proof.subject,
  email: proof.email,
  emailVerified: proof.emailVerified,
  name: shownName(proof.name),
  take: async (tx) => {
    await takeNonce(tx, proof);
    await exchangeLater(tx, { ...proof, client_id: proof.clientId, code });
  },
});

const fullName = line(1, 80);

/** A provider's name for a person, if it may be shown. */
function shownName(name: string | null): string | null {
  const { value, error } = fullName.validate(name?.trim());
  return error ? null : (value ?? null);
}

/** Step: takes the nonce of a token. @throws INVALID_CREDENTIALS when it has been used */
async function takeNonce(tx: Tx, { nonce, expiresAt }: Proof): Promise<void> {
  const taken = await tx.query(
    "INSERT INTO used_nonces (nonce, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1",
    [nonce, expiresAt],
  );
  if (taken.length === 0) throw tokenRejected();
}
