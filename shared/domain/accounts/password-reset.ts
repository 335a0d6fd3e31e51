import { createHash, randomBytes } from "node:crypto";
import type { Tx } from "#shared/db/transaction.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

export const resetMinutes = 30;

/** Our own page to choose a new password on. */
export const resetPagePath = "/reset-password";

let page: string | undefined;

/** Sets the page of the app that the link in a reset mail opens, an absolute address; without one it opens our own. */
export function configureResetLink(url?: string): void {
  page = url;
}

/** What a person opens to choose a new password. */
export function resetLink(token: string): string {
  const url = new URL(page ?? `${publicAddress()}${resetPagePath}`);
  url.searchParams.set("token", token);
  return url.href;
}

/** What the database keeps of a reset token. No salt: the token is random, so nothing can be guessed from it. */
export const hashResetToken = (token: string): Buffer => createHash("sha256").update(token).digest();

/**
 * Step: a new reset token, 256 random bits, good for 30 minutes and one use. Those before it stay good, so that whoever
 * asked twice may open either mail.
 */
export async function issueReset(tx: Tx, userId: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(clock.now() + minutesMs(resetMinutes)).toISOString();
  await tx.query("INSERT INTO password_resets (token_hash, user_id, expires_at) VALUES ($1, $2, $3)", [
    hashResetToken(token),
    userId,
    expiresAt,
  ]);
  return token;
}
