import { createHash, randomBytes } from "node:crypto";
import { generateSecret, generateURI, verifySync } from "otplib";
import { toDataURL } from "qrcode";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { MfaEnrollment, RecoveryCodes } from "#shared/contracts/views.ts";
import { increased, now, type RowOf } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { seal, unseal } from "#shared/kernel/seal.ts";
import { AdminModel } from "./admin.model.ts";
import { countCodeTry } from "./code-tries.ts";
import { assertOwnPassword } from "./try-password.ts";

const recoveryCodeCount = 10;
/** How far a phone's clock may be off, seconds. */
const toleranceSeconds = 30;

/** The secret is encrypted. */
const factorColumns = ["email", "totp_secret", "totp_last_step", "mfa_enabled_at"] as const;
type Factor = Pick<RowOf<typeof AdminModel>, (typeof factorColumns)[number]>;

const codeInvalid = () => new DomainError("CODE_INVALID", "The code is incorrect, expired, or already used.");
/** Base32, as an earlier release stored it. */
const isPlain = (secret: string) => !secret.includes(".");
const hashCode = (code: string) => createHash("sha256").update(code.toLowerCase().replaceAll("-", "")).digest();
const newRecoveryCode = () =>
  randomBytes(9)
    .toString("hex")
    .replace(/(.{6})(?=.)/g, "$1-");

const lockFactor = async (tx: Tx, id: string): Promise<Factor> => (await AdminModel.lock(tx, { id }, factorColumns))!;

/** Step: uses up a code of the authenticator app: each works once, and none before it works again. */
async function takeAppCode(tx: Tx, adminId: string, { totp_secret, totp_last_step }: Factor, code: string) {
  const secret = totp_secret && (isPlain(totp_secret) ? totp_secret : unseal(adminId, totp_secret));
  if (!secret || !/^\d{6}$/.test(code)) return false;
  const result = verifySync({ secret, token: code, epochTolerance: toleranceSeconds });
  if (!result.valid || !("timeStep" in result) || result.timeStep <= totp_last_step) return false;
  // Also encrypts a secret that an earlier release stored.
  const used = { totp_last_step: result.timeStep, totp_secret: seal(adminId, secret) };
  await AdminModel.change(tx, { id: adminId }, used);
  return true;
}

/** Step: uses up a code of the app, or a recovery code. Returns false if it is neither. @throws RATE_LIMITED */
export const takeSecondFactor = (tx: Tx, adminId: string, code: string): Promise<boolean> =>
  countCodeTry(adminId, () => takeAnyCode(tx, adminId, code));

async function takeAnyCode(tx: Tx, adminId: string, code: string): Promise<boolean> {
  if (await takeAppCode(tx, adminId, await lockFactor(tx, adminId), code)) return true;
  const taken = await tx.query("DELETE FROM admin_recovery_codes WHERE admin_id = $1 AND code_hash = $2 RETURNING 1", [
    adminId,
    hashCode(code),
  ]);
  return taken.length > 0;
}

/**
 * Begins the setup of a second factor, which a code confirms. Asks for the password, because with a stolen token alone,
 * a thief could set up their own and lock the administrator out.
 * @throws INVALID_CREDENTIALS, RATE_LIMITED, CONFLICT if there is one
 */
export async function enrollSecondFactor(caller: AdminPrincipal, password: string): Promise<MfaEnrollment> {
  const { adminId } = caller;
  await assertOwnPassword(caller, password);
  const secret = generateSecret();
  const email = await inTransaction(async (tx) => {
    const factor = await lockFactor(tx, adminId);
    if (factor.mfa_enabled_at)
      throw new DomainError("CONFLICT", "A second factor is already set up. Disable it first.");
    await AdminModel.change(tx, { id: adminId }, { totp_secret: seal(adminId, secret), totp_last_step: 0 });
    await tx.audit(caller, { action: "admin.enroll_mfa", target: { type: "admin", id: adminId } });
    return factor.email;
  });
  const otpauth_url = generateURI({ issuer: setting("app_name"), label: email, secret });
  return { id: adminId, otpauth_url, qr_code: await toDataURL(otpauth_url), secret };
}

/** Turns the second factor on. Returns new recovery codes, which are stored hashed. @throws CODE_INVALID, CONFLICT */
export const confirmSecondFactor = (caller: AdminPrincipal, code: string): Promise<RecoveryCodes> =>
  inTransaction(async (tx) => {
    const { adminId } = caller;
    const factor = await lockFactor(tx, adminId);
    if (factor.mfa_enabled_at) throw new DomainError("CONFLICT", "You have confirmed your second factor already.");
    if (!(await countCodeTry(adminId, () => takeAppCode(tx, adminId, factor, code)))) throw codeInvalid();

    const recovery_codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
    await AdminModel.change(tx, { id: adminId }, { mfa_enabled_at: now, version: increased("version") });
    await tx.query("INSERT INTO admin_recovery_codes (admin_id, code_hash) SELECT $1, unnest($2::bytea[])", [
      adminId,
      recovery_codes.map(hashCode),
    ]);
    await tx.audit(caller, { action: "admin.enable_mfa", target: { type: "admin", id: adminId } });
    return { id: adminId, recovery_codes };
  });

/** Turns the second factor off. @throws CODE_INVALID */
export async function disableSecondFactor(caller: AdminPrincipal, code: string): Promise<void> {
  const { adminId } = caller;
  await inTransaction(async (tx) => {
    if (!(await takeSecondFactor(tx, adminId, code))) throw codeInvalid();
    const disabled = { totp_secret: null, mfa_enabled_at: null, version: increased("version") };
    await AdminModel.change(tx, { id: adminId }, disabled);
    await tx.query("DELETE FROM admin_recovery_codes WHERE admin_id = $1", [adminId]);
    await tx.audit(caller, { action: "admin.disable_mfa", target: { type: "admin", id: adminId } });
  });
}
