import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { ApiKey, NewApiKey } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { ApiKeys } from "./api-key.model.ts";
import { hashSecret, newSecret } from "./secrets.ts";

/** The maximum number of keys that a user has at a time. */
export const keysMax = 20;

const shown = `id, name, public_key, allowed_addresses::text[] AS allowed_addresses, last_used_at,
  host(last_used_ip) AS last_used_ip, created_at`;

/** Returns a user's keys, the newest first. */
export const listApiKeys = (userId: string): Promise<ApiKey[]> =>
  query<ApiKey>(`SELECT ${shown} FROM api_keys WHERE user_id = $1 ORDER BY id DESC`, [userId]);

/**
 * Creates a key pair of the caller, if `check` throws nothing. The secret key is in this result and nowhere else.
 * @throws CONFLICT when the caller has 20 keys, UNAUTHENTICATED when the account is no longer active
 */
export async function createApiKey(
  { userId }: UserPrincipal,
  { name, allowed_addresses }: { readonly name: string; readonly allowed_addresses: readonly string[] },
  check?: (tx: Tx) => Promise<void>,
): Promise<NewApiKey> {
  const secretKey = newSecret();
  return inTransaction(async (tx) => {
    // Serialises calls of one user, and with a suspension or deletion of the account.
    const active = await tx.query("SELECT 1 FROM users WHERE id = $1 AND status = 'active' FOR NO KEY UPDATE", [
      userId,
    ]);
    if (active.length === 0) throw new DomainError("UNAUTHENTICATED");
    await check?.(tx);
    const [{ count } = { count: 0 }] = await tx.query<{ count: number }>(
      "SELECT count(*) FROM api_keys WHERE user_id = $1",
      [userId],
    );
    if (count >= keysMax)
      throw new DomainError("CONFLICT", "You have {{count}} API keys. Delete one first.", {
        values: { count: keysMax },
      });

    const [key] = await tx.query<ApiKey>(
      `INSERT INTO api_keys (id, user_id, name, public_key, secret_hash, allowed_addresses)
       VALUES ($1, $2, $3, $4, $5, $6::inet[]) RETURNING ${shown}`,
      [newId(), userId, name, `pk_${newSecret()}`, hashSecret(secretKey), allowed_addresses],
    );
    return { ...key!, secret_key: secretKey };
  });
}

/**
 * Revokes a key of the caller. Its tokens stop working with the commit.
 * @throws NOT_FOUND
 */
export async function deleteApiKey({ userId }: UserPrincipal, keyId: string): Promise<void> {
  const isDeleted = await inTransaction((tx) => ApiKeys.remove(tx, { id: keyId, user_id: userId }));
  if (!isDeleted) throw new DomainError("NOT_FOUND");
}
