import type { Identity } from "#shared/contracts/views.ts";
import { locks } from "#shared/db/locks.ts";
import { query } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { Identities } from "./identity.model.ts";
import type { Way } from "./sign-in.ts";

/** The ways in whose rows follow from the user's own: a trigger keeps them (`keep_identities`). */
export const derivedProviders: readonly string[] = ["password", "phone"];

/** Step: serialises logins and links with the same identity, so that one of them registers or links it. */
export const lockIdentity = (tx: Tx, { provider, subject }: Pick<Way, "provider" | "subject">): Promise<unknown> =>
  tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.identities, `${provider} ${subject}`]);

/** Returns the user who has an identity. */
export async function findIdentity({
  provider,
  subject,
}: Pick<Way, "provider" | "subject">): Promise<string | undefined> {
  return (await Identities.read({ provider, subject }, ["user_id"]))?.user_id;
}

/** Step: adds an identity to a user. Violates `identities_user_key` if they have one of the same provider. */
export async function addIdentity(tx: Tx, userId: string, way: Way): Promise<void> {
  if (derivedProviders.includes(way.provider)) return;
  const { provider, subject, email = null, emailVerified = false } = way;
  await Identities.insert(tx, { provider, subject, user_id: userId, email, email_verified: emailVerified });
}

/** Returns a user's ways in, the oldest first. */
export const listIdentities = (userId: string): Promise<Identity[]> =>
  query<Identity>(
    `SELECT provider, email, email_verified, linked_at, last_used_at FROM identities
     WHERE user_id = $1 ORDER BY linked_at, provider`,
    [userId],
  );
