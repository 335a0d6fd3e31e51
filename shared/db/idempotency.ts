import { createHash } from "node:crypto";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { deleteBatch } from "./batches.ts";
import { query, queryOne } from "./query.ts";

/** A call that may be repeated. `scope` identifies the key's owner and use: "<user id> <method> <route>". */
export interface IdempotentCall {
  readonly scope: string;
  readonly key: string;
  /** SHA-256 of the request, to detect another request with the same key. */
  readonly requestHash: Buffer;
}

/** Returns JSON with sorted keys, so that two spellings of one request are equal. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

export const hashRequest = (request: unknown): Buffer => createHash("sha256").update(canonicalJson(request)).digest();

type Claim<T> = { seen: false } | { seen: true; result: T };

/**
 * Claims a key in the current transaction; called by `inTransaction` only. A second call with the key waits until the
 * first has ended, then gets its result. Only a successful call is remembered: an error rolls the claim back, and the
 * key can be used again.
 * @throws IDEMPOTENCY_CONFLICT when the key was used for another request
 */
export async function claimKey<T>(call: IdempotentCall): Promise<Claim<T>> {
  const claimed = await query(
    `INSERT INTO idempotency_keys (scope, key, request_hash) VALUES ($1, $2, $3)
     ON CONFLICT (scope, key) DO UPDATE SET request_hash = EXCLUDED.request_hash, answer = NULL, created_at = now()
       WHERE idempotency_keys.created_at < now() - interval '24 hours'
     RETURNING 1`,
    [call.scope, call.key, call.requestHash],
  );
  if (claimed.length > 0) return { seen: false };

  const first = await findResult<T>(call);
  // The conflicting row is committed, so this transaction's next statement sees it.
  assert(first, "a key that was not claimed has a result");
  return { seen: true, result: first.result };
}

/**
 * Returns the result of a key without claiming it; undefined for a new key, or while its first call is in progress.
 * @throws IDEMPOTENCY_CONFLICT when the key was used for another request
 */
export async function findResult<T>(call: IdempotentCall): Promise<{ result: T } | undefined> {
  const first = await queryOne<{ same: boolean; result: T }>(
    `SELECT request_hash = $3 AS same, answer AS result FROM idempotency_keys
     WHERE scope = $1 AND key = $2 AND created_at >= now() - interval '24 hours'`,
    [call.scope, call.key, call.requestHash],
  );
  if (!first) return undefined;
  if (!first.same) throw new DomainError("IDEMPOTENCY_CONFLICT");
  return { result: first.result };
}

/** Stores the result of a claimed key; called by `inTransaction` only. */
export async function storeResult(call: IdempotentCall, result: unknown): Promise<void> {
  await query("UPDATE idempotency_keys SET answer = $3 WHERE scope = $1 AND key = $2", [
    call.scope,
    call.key,
    JSON.stringify(result),
  ]);
}

/** Deletes keys older than 24 hours, at most `most` of them. Returns how many. A job calls it until none are left. */
export const pruneKeys = (most = 5000): Promise<number> =>
  deleteBatch({ from: "idempotency_keys", key: "ctid", where: "created_at < now() - interval '24 hours'" }, most);
