import { createHash, randomBytes } from "node:crypto";
import type { Tx } from "#shared/db/transaction.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

export const resetMinutes = 30;

/** The path of our own page to choose a new password. */
export const resetPagePath = "/reset-password";

let page: string | undefined;

/** Sets the page that the link in a reset mail opens, an absolute address; by default, our own page. */
export function configureResetLink(url?: string): void {
  page = url;
}

/** Returns the link of a reset mail. */
export function resetLink(token: string): string {
  const url = new URL(page ?? `${publicAddress()}${resetPagePath}`);
  url.searchParams.set("token", token);
  return url.href;
}

/** Returns what is stored of a reset token. No salt, because a random token cannot be guessed. */
export const hashResetToken = (token: string): Buffer => createHash("sha256").update(token).digest();

/**
 * Step: issues a reset token of 256 random bits, valid for 30 minutes and one use. Earlier tokens stay valid, so that
 * after two requests either mail works.
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
