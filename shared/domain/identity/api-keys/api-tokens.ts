import { timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { KeyHolderPrincipal } from "#shared/contracts/principal.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import { queryOne } from "#shared/db/query.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type StandingRow, standingColumns, standingOf } from "../sessions/standing.ts";
import { hashSecret, newSecret } from "./secrets.ts";

/** The lifetime of a token, hours. */
export const tokenHours = 24;

/** How many tokens a key can get in a minute. */
export const tokensPerMinute = 30;

/** Stands in for the hash of a key that doesn't exist, so that its answer takes as long. */
const noHash = Buffer.alloc(32);

const isAllowedFrom = (address: string): string =>
  `(k.allowed_addresses = '{}' OR ${address}::inet <<= ANY (k.allowed_addresses))`;

/** The address as PostgreSQL reads it: an IPv4 address as such, and without the zone of a local IPv6 address. */
function plainAddress(ip: string): string | null {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  return isIP(plain) ? plain : null;
}

const keysRefused = () => new DomainError("UNAUTHENTICATED", "The public key or the secret key is invalid.");

/**
 * Issues a bearer token for a key pair: 256 random bits, valid for 24 hours. It stops working when the key is revoked,
 * and when its owner's account is suspended or about to be deleted.
 * @throws UNAUTHENTICATED for a wrong pair, an address that the key doesn't allow, or an owner whose account isn't
 *   active; RATE_LIMITED
 */
export async function issueToken(publicKey: string, secretKey: string, ip: string): Promise<string> {
  const address = plainAddress(ip);
  const token = newSecret();
  await inTransaction(async (tx) => {
    // The lock on the owner puts this before or after a suspension, which deletes the tokens that it finds.
    const [key] = await tx.query<{ id: string; secret_hash: Buffer }>(
      `SELECT k.id, k.secret_hash FROM api_keys k JOIN users u ON u.id = k.user_id
       WHERE k.public_key = $1 AND u.status = 'active' AND ${isAllowedFrom("$2")}
       FOR NO KEY UPDATE OF k FOR SHARE OF u`,
      [publicKey, address],
    );
    const matches = timingSafeEqual(key?.secret_hash ?? noHash, hashSecret(secretKey));
    if (!key || !matches) throw keysRefused();

    const recent = await tx.query(
      "SELECT 1 FROM api_tokens WHERE key_id = $1 AND created_at > now() - interval '1 minute' LIMIT $2",
      [key.id, tokensPerMinute],
    );
    if (recent.length >= tokensPerMinute) throw new DomainError("RATE_LIMITED", undefined, { retryAfter: 60 });
    await tx.query(
      `INSERT INTO api_tokens (token_hash, key_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 hour')`,
      [hashSecret(token), key.id, tokenHours],
    );
    await tx.query("UPDATE api_keys SET last_used_at = now(), last_used_ip = $2 WHERE id = $1", [key.id, address]);
  });
  return token;
}

/**
 * Returns the holder of a token who calls from this address. Reads the database at each call: nothing is cached that a
 * revocation would have to reach.
 * @throws UNAUTHENTICATED
 */
export async function holderOf(token: string, ip: string): Promise<KeyHolderPrincipal> {
  const address = plainAddress(ip);
  const held = await queryOne<{ key_id: string; user_id: string; is_noted: boolean } & StandingRow>(
    `SELECT k.id AS key_id, k.user_id,
       coalesce(k.last_used_at > now() - interval '1 minute' AND k.last_used_ip = $2::inet, false) AS is_noted,
       ${standingColumns}
     FROM api_tokens t JOIN api_keys k ON k.id = t.key_id JOIN users u ON u.id = k.user_id
     WHERE t.token_hash = $1 AND t.expires_at > now() AND u.status = 'active' AND ${isAllowedFrom("$2")}`,
    [hashSecret(token), address],
  );
  if (!held) throw new DomainError("UNAUTHENTICATED", "The bearer token is invalid or has expired.");

  // To the minute, so that reading doesn't write at each call.
  if (!held.is_noted)
    await alone("UPDATE api_keys SET last_used_at = now(), last_used_ip = $2 WHERE id = $1", [held.key_id, address]);
  const { age } = standingOf(held);
  return { kind: "key_holder", keyId: held.key_id, userId: held.user_id, ...(age && { age }) };
}

/** Step: ends all tokens of a user's keys. The keys stay. */
export async function revokeTokensOf(tx: Tx, userId: string): Promise<void> {
  await tx.query("DELETE FROM api_tokens WHERE key_id IN (SELECT id FROM api_keys WHERE user_id = $1)", [userId]);
}

/** Deletes expired tokens, at most `most` of them. Returns how many. A job calls it until none are left. */
export const pruneTokens = (most = 5000): Promise<number> =>
  deleteBatch({ from: "api_tokens", key: "token_hash", where: "expires_at < now()" }, most);
