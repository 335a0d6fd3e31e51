import { createHash, createHmac, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineJob } from "#shared/db/jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { assert } from "#shared/kernel/assert.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";

/**
 * The audit log is one chain over all processes: the hash of an entry is the SHA-256 of the hash before it and the
 * entry's text. The database chains each entry when it is written (see the migration), so no entry is ever outside the
 * chain. What the chain alone doesn't show is an end that was rewritten with new hashes: therefore its head is signed
 * once an hour, logged, and kept in a file outside the database.
 */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
  readonly signed_at: string;
  /** Ed25519, base64, of `<seq> <hash> <signed_at>`. */
  readonly signature: string;
  readonly public_key: string;
}

export const signAuditHeadJob = defineJob("admin.sign_audit_head", {
  retries: 3,
  retryMaxSeconds: 60,
  timeoutSeconds: 30,
  exclusive: true,
});

interface Signing {
  readonly key: ReturnType<typeof createPrivateKey>;
  readonly publicKey: string;
  readonly file: string;
}

let signing: Signing | undefined;

/** Begins every Ed25519 key in PKCS #8, before its 32 bytes. */
const keyHeader = Buffer.from("302e020100300506032b657004220420", "hex");

/** Sets the signing key, made of a secret, and the folder of the file with the signed heads. Called once at start. */
export function configureAuditSigning({ secret, folder }: { secret: string; folder: string }): void {
  const seed = createHash("sha256").update(secret).digest();
  const key = createPrivateKey({ key: Buffer.concat([keyHeader, seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
  signing = { key, publicKey, file: join(folder, "audit-heads.ndjson") };
}

/** Returns a signing secret that differs from the key of access tokens, which it is derived from. */
export const deriveAuditSecret = (jwtSecret: string): string =>
  createHmac("sha256", jwtSecret).update("hubbub audit log").digest("base64url");

function configured(): Signing {
  assert(signing, "the signing of the audit log is configured");
  return signing;
}

const signedText = ({ seq, hash, signed_at }: Pick<AuditHead, "seq" | "hash" | "signed_at">) =>
  Buffer.from(`${seq} ${hash} ${signed_at}`);

/** Signs a state of a chain. */
export function signHead(seq: number, hash: string): AuditHead {
  const { key, publicKey } = configured();
  const head = { seq, hash, signed_at: isoNow() };
  return { ...head, signature: sign(null, signedText(head), key).toString("base64"), public_key: publicKey };
}

/** Job: signs the head of the audit log, logs it, and adds it to the file of signed heads. */
export async function signAuditHead(): Promise<void> {
  const { seq, hash } = (await queryOne<{ seq: number; hash: string }>("SELECT seq, hash FROM audit_head"))!;
  const head = signHead(seq, hash);
  logger.info({ audit_head: head }, "head of the audit log signed");
  await appendFile(configured().file, `${JSON.stringify(head)}\n`, { mode: 0o600, flush: true });
}

/** Returns the signed heads of the file. */
async function signedHeads(): Promise<AuditHead[]> {
  const text = (await readFile(configured().file, "utf8").catch(unlessAbsent)) ?? "";
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditHead);
}

interface Link {
  readonly seq: number;
  readonly id: string;
  readonly hash: string;
  readonly text: string;
}

const batchSize = 5000;

/** Yields all entries in the order of the chain, in batches, with the texts that were hashed. */
async function* readChain(): AsyncGenerator<Link[]> {
  for (let after = 0; ; ) {
    const links = await query<Link>(
      `SELECT seq, id, hash, audit_entry_text(audit_log) AS text FROM audit_log WHERE seq > $1 ORDER BY seq LIMIT $2`,
      [after, batchSize],
    );
    if (links.length > 0) yield links;
    if (links.length < batchSize) return;
    after = links.at(-1)!.seq;
  }
}

export const chainHash = (before: string, text: string): string =>
  createHash("sha256").update(before).update(text).digest("hex");

/**
 * Checks the whole audit log against its chain, and the chain against all signed heads. Returns the first difference as
 * a sentence, or undefined when the log is whole; and how many entries there are.
 */
export async function checkAuditLog(): Promise<{ readonly entries: number; readonly difference?: string }> {
  // Read first: entries that are written during the check are above it.
  const [stored] = await query<{ seq: number; hash: string }>("SELECT seq, hash FROM audit_head");
  const heads = Map.groupBy(await signedHeads(), ({ seq }) => seq);
  let last = { seq: 0, hash: "" };
  for await (const links of readChain())
    for (const { seq, id, hash, text } of links) {
      const difference = differenceAt({ seq, id, hash, text }, last) ?? headDifference(heads.get(seq) ?? [], hash);
      if (difference) return { entries: last.seq, difference };
      last = { seq, hash };
      if (seq === stored!.seq && hash !== stored!.hash)
        return { entries: seq, difference: `Entry ${seq} (${id}) isn't the one that was the last.` };
    }

  const expected = Math.max(stored!.seq, ...heads.keys());
  if (expected <= last.seq) return { entries: last.seq };
  return {
    entries: last.seq,
    difference: `Entry ${last.seq + 1} was removed, with all that followed, up to ${expected}.`,
  };
}

function differenceAt({ seq, id, hash, text }: Link, last: { seq: number; hash: string }): string | undefined {
  if (seq !== last.seq + 1) return `Entry ${last.seq + 1} was removed: entry ${seq} (${id}) follows entry ${last.seq}.`;
  if (hash !== chainHash(last.hash, text)) return `Entry ${seq} (${id}) was altered, moved, or put in.`;
  return undefined;
}

function headDifference(heads: readonly AuditHead[], hash: string): string | undefined {
  const key = createPublicKey({ key: Buffer.from(configured().publicKey, "base64"), format: "der", type: "spki" });
  for (const head of heads) {
    if (!verify(null, signedText(head), key, Buffer.from(head.signature, "base64")))
      return `The head of entry ${head.seq}, signed at ${head.signed_at}, has another signature.`;
    if (head.hash !== hash)
      return `Entry ${head.seq}, or one before it, was rewritten: its hash isn't the one signed at ${head.signed_at}.`;
  }
  return undefined;
}

/** Yields the lines of an export that `docs/verify-export.mjs` verifies: all entries, then the signed head. */
export async function* exportAuditLog(): AsyncGenerator<string> {
  let last = { seq: 0, hash: "" };
  for await (const links of readChain())
    for (const { seq, hash, text } of links) {
      yield `${JSON.stringify({ entry: text, hash })}\n`;
      last = { seq, hash };
    }
  yield `${JSON.stringify({ head: signHead(last.seq, last.hash) })}\n`;
}
