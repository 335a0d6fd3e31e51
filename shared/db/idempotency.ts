import { createHash } from "node:crypto";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { deleteBatch } from "./batches.ts";
import { execute, queryOne, send } from "./query.ts";

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

/**
 * What claiming a key has found: nothing, the first call's result, or another call with the key: IDEMPOTENCY_CONFLICT.
 */
type Claim = "new" | { readonly result: unknown } | DomainError;

/** A call with an idempotency key, or without. */
type MaybeIdempotent = IdempotentCall | undefined;

/**
 * Claims keys in the current transaction, no two of them equal, in the order of keys. A second call with a key waits
 * until the first has ended, then gets its result. Only a successful call is remembered: an error rolls the claim back,
 * and the key can be used again.
 */
export async function claimKeys(calls: readonly MaybeIdempotent[]): Promise<Claim[]> {
  const keyed = calls.filter((call) => call !== undefined);
  const claimed = keyed.length === 0 ? [] : await insertKeys(keyed);
  const isNew = (call: MaybeIdempotent) =>
    !call || claimed.some(({ scope, key }) => scope === call.scope && key === call.key);
  // A conflicting row is committed, so this transaction's next statement sees it.
  return Promise.all(calls.map((call) => (isNew(call) ? "new" : firstOf(call!))));
}

/** Returns those that could be inserted. */
const insertKeys = (calls: readonly IdempotentCall[]) =>
  execute<{ scope: string; key: string }>(
    `INSERT INTO idempotency_keys (scope, key, request_hash)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) AS call (scope, key, request_hash) ORDER BY scope, key
     ON CONFLICT (scope, key) DO UPDATE SET request_hash = EXCLUDED.request_hash, answer = NULL, created_at = now()
       WHERE idempotency_keys.created_at < now() - interval '24 hours'
     RETURNING scope, key`,
    [...columnsOf(calls), calls.map(({ requestHash }) => requestHash)],
  );

const columnsOf = (calls: readonly IdempotentCall[]) => [calls.map(({ scope }) => scope), calls.map(({ key }) => key)];

async function firstOf(call: IdempotentCall): Promise<Claim> {
  try {
    const first = await findResult(call);
    assert(first, "a key that was not claimed has a result");
    return first;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
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

/**
 * Stores the results of claimed keys. Those whose outcome is an error are given back, as if they had not been claimed.
 */
export function settleKeys(calls: readonly MaybeIdempotent[], outcomes: readonly unknown[]): void {
  const done: IdempotentCall[] = [];
  const answers: string[] = [];
  const refused: IdempotentCall[] = [];
  calls.forEach((call, index) => {
    if (!call) return;
    if (outcomes[index] instanceof DomainError) refused.push(call);
    else {
      done.push(call);
      answers.push(JSON.stringify(outcomes[index]));
    }
  });
  if (done.length > 0)
    send(
      `UPDATE idempotency_keys SET answer = call.answer
       FROM unnest($1::text[], $2::text[], $3::json[]) AS call (scope, key, answer)
       WHERE idempotency_keys.scope = call.scope AND idempotency_keys.key = call.key`,
      [...columnsOf(done), answers],
    );
  if (refused.length > 0)
    send(
      "DELETE FROM idempotency_keys WHERE (scope, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))",
      columnsOf(refused),
    );
}

/** Deletes keys older than 24 hours, at most `most` of them. Returns how many. A job calls it until none are left. */
export const pruneKeys = (most = 5000): Promise<number> =>
  deleteBatch({ from: "idempotency_keys", key: "ctid", where: "created_at < now() - interval '24 hours'" }, most);
