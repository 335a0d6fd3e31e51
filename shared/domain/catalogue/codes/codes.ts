import { createHash, createHmac, randomBytes } from "node:crypto";
import type { CustomerStatus } from "#shared/contracts/catalogue-customer-views.ts";
import type { KeyHolderPrincipal } from "#shared/contracts/principal.ts";
import { queryOne } from "#shared/db/query.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { notApproved } from "#shared/domain/catalogue/customers/customers.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { seal, unseal } from "#shared/kernel/seal.ts";

/** Selects what has become of the code of the order `o`; null without one. */
export const codeState = `(SELECT CASE WHEN c.shown_at IS NOT NULL THEN 'shown' WHEN o.status = 'completed' THEN 'ready'
  ELSE 'reserved' END FROM catalogue_codes c WHERE c.order_id = o.id)`;

/** How long the call that a code was shown to may be repeated, hours. Then the service forgets the code. */
export const shownForHours = 24;

const keyName = "code fingerprints";
const keyContext = `key ${keyName}`;
let fingerprintKey: Promise<Buffer> | undefined;

/**
 * Returns the key of fingerprints, which the first call generates. It is stored encrypted and never changes, so that a
 * code has the same fingerprint after a change of the encryption key.
 */
async function loadFingerprintKey(): Promise<Buffer> {
  await alone("INSERT INTO sealed_keys (name, key_sealed) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", [
    keyName,
    seal(keyContext, randomBytes(32).toString("base64url")),
  ]);
  const stored = await queryOne<{ key_sealed: string }>("SELECT key_sealed FROM sealed_keys WHERE name = $1", [
    keyName,
  ]);
  const key = unseal(keyContext, stored!.key_sealed);
  assert(key, "the key of fingerprints can be decrypted");
  return Buffer.from(key, "base64url");
}

/** Returns the function that computes fingerprints: equal for equal codes, and without the key no help to guess one. */
export async function fingerprints(): Promise<(code: string) => Buffer> {
  fingerprintKey ??= loadFingerprintKey();
  const key = await fingerprintKey.catch((error: unknown) => {
    fingerprintKey = undefined;
    throw error;
  });
  return (code) => createHmac("sha256", key).update(code).digest();
}

const contextOf = (fingerprint: Buffer): string => `code ${fingerprint.toString("hex")}`;

/** Encrypts a code, so that it only opens in the row with its fingerprint. */
export const sealCode = (fingerprint: Buffer, code: string): string => seal(contextOf(fingerprint), code);

/**
 * Step: reserves a code of a service for an order. Concurrent buyers don't wait for each other: each takes a code that
 * no other buyer is taking.
 * @throws CONFLICT when none is left
 */
export async function reserveCode(tx: Tx, serviceId: number, orderId: number): Promise<void> {
  const reserved = await tx.query(
    `UPDATE catalogue_codes SET order_id = $2 WHERE id = (
       SELECT id FROM catalogue_codes WHERE service_id = $1 AND order_id IS NULL ORDER BY id LIMIT 1
       FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
    [serviceId, orderId],
  );
  if (reserved.length === 0) throw new DomainError("CONFLICT", "This card is sold out.");
}

/**
 * Step: puts the code of a cancelled order back into the stock. It has never been shown: the order wasn't completed.
 */
export async function releaseCode(tx: Tx, orderId: number): Promise<void> {
  await tx.query("UPDATE catalogue_codes SET order_id = NULL WHERE order_id = $1 AND shown_at IS NULL", [orderId]);
}

interface CodeRow {
  readonly id: number;
  readonly fingerprint: Buffer;
  readonly code_sealed: string | null;
  readonly shown_for: Buffer | null;
  readonly status: string;
  readonly customer_status: CustomerStatus;
}

/**
 * Shows the code of a completed order of the caller: to one key, whose calls get it for 24 hours, so that a lost
 * response doesn't lose the code. It is in no stored response, event, list, or log.
 * @throws NOT_FOUND, FORBIDDEN when the customer is suspended, CONFLICT when the order isn't completed, or the code was
 * shown to another key or a day ago
 */
export function showCode({ userId }: KeyHolderPrincipal, orderId: number, key: string): Promise<string> {
  const shownFor = createHash("sha256").update(key).digest();
  return inTransaction(async (tx) => {
    const [row] = await tx.query<CodeRow>(
      `SELECT c.id, c.fingerprint, c.shown_for, o.status, k.status AS customer_status,
         CASE WHEN c.shown_at IS NULL OR c.shown_at > now() - interval '${shownForHours} hours' THEN c.code_sealed END
           AS code_sealed
       FROM catalogue_codes c JOIN catalogue_orders o ON o.id = c.order_id
         JOIN catalogue_customers k ON k.id = o.customer_id
       WHERE o.id = $1 AND k.user_id = $2 FOR NO KEY UPDATE OF c`,
      [orderId, userId],
    );
    if (!row) throw new DomainError("NOT_FOUND");
    if (row.customer_status !== "approved") throw notApproved();
    if (row.status !== "completed") throw new DomainError("CONFLICT", "This order isn't completed yet.");
    if (row.shown_for && !row.shown_for.equals(shownFor))
      throw new DomainError("CONFLICT", "This code has been shown. Repeat that call with its idempotency key.");
    if (!row.code_sealed)
      throw new DomainError("CONFLICT", "The code is no longer available: it was shown more than 24 hours ago.");

    const code = unseal(contextOf(row.fingerprint), row.code_sealed);
    assert(code !== undefined, "a stored code can be decrypted");
    if (!row.shown_for)
      await tx.query("UPDATE catalogue_codes SET shown_at = now(), shown_for = $2 WHERE id = $1", [row.id, shownFor]);
    return code;
  });
}

/** Forgets codes that were shown more than a day ago, at most `most` of them. Returns how many. A job calls it. */
export async function forgetShownCodes(most = 1000): Promise<number> {
  const forgotten = await alone(
    `UPDATE catalogue_codes SET code_sealed = NULL WHERE id IN (
       SELECT id FROM catalogue_codes
       WHERE code_sealed IS NOT NULL AND shown_at < now() - interval '${shownForHours} hours' LIMIT $1
     ) RETURNING 1`,
    [most],
  );
  return forgotten.length;
}
