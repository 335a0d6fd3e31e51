import { deleteBatch } from "#shared/db/batches.ts";
import { isoNow } from "#shared/kernel/clock.ts";

/**
 * Deletes expired codes, counts of tries, reset tokens, nonces of ID tokens, and the counts of bonuses of past days,
 * some at a time. Returns how many. Called by a job.
 */
export async function pruneCodes(most = 5000): Promise<number> {
  const where = "expires_at <= $2";
  const codes = await deleteBatch({ from: "verification_codes", key: "subject, user_id", where }, most, isoNow());
  const tries = await deleteBatch({ from: "verification_tries", key: "subject, counter", where }, most, isoNow());
  const resets = await deleteBatch({ from: "password_resets", key: "token_hash", where }, most, isoNow());
  const logins = await deleteBatch({ from: "login_codes", key: "subject", where }, most, isoNow());
  const nonces = await deleteBatch({ from: "used_nonces", key: "nonce", where }, most, isoNow());
  const past = "day < ($2::timestamptz AT TIME ZONE 'UTC')::date";
  const days = await deleteBatch({ from: "signup_bonus_networks", key: "day, network", where: past }, most, isoNow());
  return codes + tries + resets + logins + nonces + days;
}
