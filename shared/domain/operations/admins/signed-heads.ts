import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "#shared/kernel/assert.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";

/**
 * What a chain of hashes alone doesn't show is an end that was rewritten with new hashes. Therefore, its head is signed
 * once an hour, logged (as `audit_head`, `ledger_head`, or `ledger_tree_head`), and kept in a file outside the
 * database.
 */
export interface SignedHead {
  /** The number of links. */
  readonly seq: number;
  /** The hash of the last one, hexadecimal. */
  readonly hash: string;
  readonly signed_at: string;
  /** Ed25519, base64, of `<seq> <hash> <signed_at>`. */
  readonly signature: string;
  readonly public_key: string;
}

/** What has signed heads. */
export type ChainName = "audit" | "ledger" | "ledger_tree";

interface Signing {
  readonly key: KeyObject;
  readonly publicKey: string;
  /** Those that heads may have been signed with. */
  readonly verifying: readonly KeyObject[];
  readonly folder: string;
}

let signing: Signing | undefined;

/** Begins every Ed25519 key in PKCS #8, before its 32 bytes. */
const keyHeader = Buffer.from("302e020100300506032b657004220420", "hex");

function signingKeyOf(secret: string): KeyObject {
  const seed = createHash("sha256").update(secret).digest();
  return createPrivateKey({ key: Buffer.concat([keyHeader, seed]), format: "der", type: "pkcs8" });
}

/**
 * Sets the secrets that signing keys are made of, and the folder of the files with the signed heads. Called once at
 * start. The first secret signs. All verify, also as secrets of access tokens that the signing secret was derived from.
 */
export function configureAuditSigning({ secrets, folder }: { secrets: readonly string[]; folder: string }): void {
  const key = signingKeyOf(secrets[0]!);
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
  const verifying = secrets
    .flatMap((secret) => [secret, deriveAuditSecret(secret)])
    .map((secret) => createPublicKey(signingKeyOf(secret)));
  signing = { key, publicKey, verifying, folder };
}

/** Returns a signing secret that differs from the key of access tokens, which it is derived from. */
export const deriveAuditSecret = (jwtSecret: string): string =>
  createHmac("sha256", jwtSecret).update("hubbub audit log").digest("base64url");

function configured(): Signing {
  assert(signing, "the signing of the audit log is configured");
  return signing;
}

const fileOf = (chain: ChainName): string => join(configured().folder, `${chain.replace("_", "-")}-heads.ndjson`);

const signedText = ({ seq, hash, signed_at }: Pick<SignedHead, "seq" | "hash" | "signed_at">) =>
  Buffer.from(`${seq} ${hash} ${signed_at}`);

/** Signs a state of a chain. */
export function signHead(seq: number, hash: string): SignedHead {
  const head = { seq, hash, signed_at: isoNow() };
  return { ...head, ...signText(signedText(head)) };
}

/** Signs a text with the key of the heads. */
export function signText(text: Buffer): Pick<SignedHead, "signature" | "public_key"> {
  const { key, publicKey } = configured();
  return { signature: sign(null, text, key).toString("base64"), public_key: publicKey };
}

/** Signs the head of a chain, logs it, and adds it to the chain's file. Returns it. */
export async function keepHead(chain: ChainName, seq: number, hash: string): Promise<SignedHead> {
  const head = signHead(seq, hash);
  logger.info({ [`${chain}_head`]: head }, `head of the ${chain} chain signed`);
  await appendFile(fileOf(chain), `${JSON.stringify(head)}\n`, { mode: 0o600, flush: true });
  return head;
}

/** Returns the signed heads of a chain's file, by `seq`. */
export async function keptHeads(chain: ChainName): Promise<Map<number, SignedHead[]>> {
  const text = (await readFile(fileOf(chain), "utf8").catch(unlessAbsent)) ?? "";
  const heads = text.split("\n").filter(Boolean);
  return Map.groupBy(
    heads.map((line) => JSON.parse(line) as SignedHead),
    ({ seq }) => seq,
  );
}

/** Returns whether this service signed a text, now or with an earlier secret. */
export const isSigned = (text: Buffer, signature: string): boolean =>
  configured().verifying.some((key) => verify(null, text, key, Buffer.from(signature, "base64")));

/** Returns whether this service signed a head. */
export const isOurs = (head: SignedHead): boolean => isSigned(signedText(head), head.signature);
