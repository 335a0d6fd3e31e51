import type { Identity } from "#shared/contracts/views.ts";
import { locks } from "#shared/db/locks.ts";
import { query } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { Way } from "./sign-in.ts";

/** The ways in whose rows follow from the user's own: a trigger keeps them (`keep_identities`). */
export const derivedProviders: readonly string[] = ["password", "phone"];

/** Step: serialises logins and links with the same identity, so that one of them registers or links it. */
export const lockIdentity = (tx: Tx, { provider, subject }: Pick<Way, "provider" | "subject">): Promise<unknown> =>
  tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.identities, `${provider} ${subject}`]);

/** Step: returns the user who has an identity. */
export async function findIdentity(
  tx: Tx,
  { provider, subject }: Pick<Way, "provider" | "subject">,
): Promise<string | undefined> {
  const [found] = await tx.query<{ user_id: string }>(
    "SELECT user_id FROM identities WHERE provider = $1 AND subject = $2",
    [provider, subject],
  );
  return found?.user_id;
}

/** Step: adds an identity to a user. Violates `identities_user_key` if they have one of the same provider. */
export async function addIdentity(tx: Tx, userId: string, way: Way): Promise<void> {
  if (derivedProviders.includes(way.provider)) return;
  await tx.query(
    `INSERT INTO identities (provider, subject, user_id, email, email_verified) VALUES ($1, $2, $3, $4, $5)`,
    [way.provider, way.subject, userId, way.email ?? null, way.emailVerified ?? false],
  );
}

/** Returns a user's ways in, the oldest first. */
export const listIdentities = (userId: string): Promise<Identity[]> =>
  query<Identity>(
    `SELECT provider, email, email_verified, linked_at, last_used_at FROM identities
     WHERE user_id = $1 ORDER BY linked_at, provider`,
    [userId],
  );
