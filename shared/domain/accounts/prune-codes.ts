import { query } from "#shared/db/query.ts";
import { isoNow } from "#shared/kernel/clock.ts";

/** Deletes expired codes, counts of tries and reset tokens, some at a time. Returns how many. Called by a job. */
export async function pruneCodes(most = 5000): Promise<number> {
  const codes = await query(
    `DELETE FROM verification_codes WHERE subject IN
       (SELECT subject FROM verification_codes WHERE expires_at <= $2 LIMIT $1) RETURNING 1`,
    [most, isoNow()],
  );
  const resets = await query(
    `DELETE FROM password_resets WHERE token_hash IN
       (SELECT token_hash FROM password_resets WHERE expires_at <= $2 LIMIT $1) RETURNING 1`,
    [most, isoNow()],
  );
  return codes.length + resets.length;
}
