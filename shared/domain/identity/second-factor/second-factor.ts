import { createHash, randomBytes } from "node:crypto";
import { generateSecret, generateURI, verifySync } from "otplib";
import { toDataURL } from "qrcode";
import type { SecondFactorSetup } from "#shared/contracts/views.ts";
import { now, type Records } from "#shared/db/model.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { seal, unseal } from "#shared/kernel/seal.ts";
import { countCodeTry } from "./code-tries.ts";

interface Factor {
  id: string;
  /** Encrypted. */
  totp_secret: string | null;
  /** The time step of the last accepted code. */
  totp_last_step: number;
  mfa_enabled_at: string | null;
}

/** Whose accounts have a second factor: users, or administrators. */
export interface FactorOwners {
  readonly model: Pick<Records<Factor, never>, "lock" | "change">;
  /** The table of recovery codes, and its column with the owner's ID. */
  readonly codes: { readonly table: string; readonly owner: string };
}

const recoveryCodeCount = 10;
/** How far a phone's clock may be off, seconds. */
const toleranceSeconds = 30;

const codeInvalid = () => new DomainError("CODE_INVALID", "The code is incorrect, expired, or already used.");
/** Base32, as an earlier release stored it. */
const isPlain = (secret: string) => !secret.includes(".");
const hashCode = (code: string) => createHash("sha256").update(code.toLowerCase().replaceAll("-", "")).digest();
const newRecoveryCode = () =>
  randomBytes(9)
    .toString("hex")
    .replace(/(.{6})(?=.)/g, "$1-");

const lockFactor = async (tx: Tx, { model }: FactorOwners, id: string): Promise<Factor> =>
  (await model.lock(tx, { id }, ["id", "totp_secret", "totp_last_step", "mfa_enabled_at"]))!;

/** Step: uses up a code of the authenticator app: each works once, and none before it works again. */
async function takeAppCode(tx: Tx, { model }: FactorOwners, factor: Factor, code: string): Promise<boolean> {
  const { id, totp_secret, totp_last_step } = factor;
  const secret = totp_secret && (isPlain(totp_secret) ? totp_secret : unseal(id, totp_secret));
  if (!secret || !/^\d{6}$/.test(code)) return false;
  const result = verifySync({ secret, token: code, epochTolerance: toleranceSeconds });
  if (!result.valid || !("timeStep" in result) || result.timeStep <= totp_last_step) return false;
  // Also encrypts a secret that an earlier release stored.
  await model.change(tx, { id }, { totp_last_step: result.timeStep, totp_secret: seal(id, secret) });
  return true;
}

/** Step: uses up a code of the app, or a recovery code. Returns false if it is neither. @throws RATE_LIMITED */
export const takeSecondFactor = (tx: Tx, owners: FactorOwners, id: string, code: string): Promise<boolean> =>
  countCodeTry(id, async () => {
    if (await takeAppCode(tx, owners, await lockFactor(tx, owners, id), code)) return true;
    const { table, owner } = owners.codes;
    const sql = `DELETE FROM ${table} WHERE ${owner} = $1 AND code_hash = $2 RETURNING 1`;
    return (await tx.query(sql, [id, hashCode(code)])).length > 0;
  });

/** Step: stores a new secret, which a code confirms. `label` names the account in the app. @throws CONFLICT */
export async function enrollFactor(
  tx: Tx,
  owners: FactorOwners,
  { id, label }: { readonly id: string; readonly label: string },
): Promise<SecondFactorSetup> {
  const factor = await lockFactor(tx, owners, id);
  if (factor.mfa_enabled_at) throw new DomainError("CONFLICT", "A second factor is already set up. Disable it first.");
  const secret = generateSecret();
  await owners.model.change(tx, { id }, { totp_secret: seal(id, secret), totp_last_step: 0 });
  const otpauth_url = generateURI({ issuer: setting("app_name"), label, secret });
  return { otpauth_url, qr_code: await toDataURL(otpauth_url), secret };
}

/**
 * Step: turns the second factor on. Returns new recovery codes, which are stored hashed.
 * @throws CODE_INVALID, CONFLICT, RATE_LIMITED
 */
export async function confirmFactor(tx: Tx, owners: FactorOwners, id: string, code: string): Promise<string[]> {
  const factor = await lockFactor(tx, owners, id);
  if (factor.mfa_enabled_at) throw new DomainError("CONFLICT", "You have confirmed your second factor already.");
  if (!(await countCodeTry(id, () => takeAppCode(tx, owners, factor, code)))) throw codeInvalid();

  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
  await owners.model.change(tx, { id }, { mfa_enabled_at: now });
  const { table, owner } = owners.codes;
  await tx.query(`INSERT INTO ${table} (${owner}, code_hash) SELECT $1, unnest($2::bytea[])`, [
    id,
    codes.map(hashCode),
  ]);
  return codes;
}

/** Step: turns the second factor off, by a code of it. @throws CODE_INVALID, RATE_LIMITED */
export async function disableFactor(tx: Tx, owners: FactorOwners, id: string, code: string): Promise<void> {
  if (!(await takeSecondFactor(tx, owners, id, code))) throw codeInvalid();
  await removeFactor(tx, owners, id);
}

/** Step: removes the second factor with its recovery codes. */
export async function removeFactor(tx: Tx, { model, codes }: FactorOwners, id: string): Promise<void> {
  await model.change(tx, { id }, { totp_secret: null, mfa_enabled_at: null });
  await tx.query(`DELETE FROM ${codes.table} WHERE ${codes.owner} = $1`, [id]);
}
