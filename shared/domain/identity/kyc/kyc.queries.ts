import type { KycState } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";

/** Returns who a user is known to be. A level that has expired, and one that was rejected since, is 0. */
export async function getKyc(userId: string): Promise<KycState> {
  const state = await queryOne<KycState>(
    `SELECT CASE WHEN k.expires_at <= now() THEN 0 ELSE k.level END AS level,
       CASE WHEN k.expires_at <= now() AND k.level > 0 THEN 'expired' ELSE k.status END AS status,
       k.expires_at, k.provider, k.decided_at
     FROM kyc_cases k WHERE k.user_id = $1 ORDER BY k.decided_at DESC NULLS LAST, k.id DESC LIMIT 1`,
    [userId],
  );
  return state ?? { level: 0, status: "none", expires_at: null, provider: null, decided_at: null };
}
