import { deleteBatch } from "#shared/db/batches.ts";
import { isoNow } from "#shared/kernel/clock.ts";

/** Deletes expired codes, counts of tries and reset tokens, some at a time. Returns how many. Called by a job. */
export async function pruneCodes(most = 5000): Promise<number> {
  const where = "expires_at <= $2";
  const codes = await deleteBatch({ from: "verification_codes", key: "subject", where }, most, isoNow());
  const resets = await deleteBatch({ from: "password_resets", key: "token_hash", where }, most, isoNow());
  return codes + resets;
}
