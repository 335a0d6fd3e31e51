import { defineJob } from "#shared/db/jobs.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";

/** Runs when a frame or a VIP period expires. A check every minute catches what it missed. */
export const expireStoreJob = defineJob("store.expire", { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 60 });

/** Step: schedules the job for right after `endsAt`, an ISO time, so that cards kept in memory are refreshed. */
export async function scheduleExpiry(tx: Tx, endsAt: string): Promise<void> {
  const afterSeconds = Math.max(1, Math.ceil((Date.parse(endsAt) - clock.now()) / 1000) + 1);
  await tx.enqueue(expireStoreJob, {}, { afterSeconds });
}

/** Runs the job: ends everything that has expired. */
export async function expireStore(): Promise<void> {
  let ended: number;
  do ended = (await expireVip()) + (await expireFrames());
  while (ended > 0);
}

/**
 * Ends a batch of expired VIP periods and publishes the changed cards. Only cards kept in memory depend on it; queries
 * never show an expired period. Returns how many; 0 when none are left.
 */
export async function expireVip(most = 500): Promise<number> {
  return inTransaction(async (tx) => {
    const ended = await tx.query<{ user_id: string }>(
      `UPDATE vip_periods SET ended_at = ends_at WHERE order_id IN
         (SELECT order_id FROM vip_periods WHERE ended_at IS NULL AND ends_at <= now()
          ORDER BY ends_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
       RETURNING user_id`,
      [most],
    );
    for (const user_id of new Set(ended.map((row) => row.user_id))) await tx.publish("user.card_changed", { user_id });
    return ended.length;
  });
}

/** Deletes a batch of expired ownerships of frames, likewise. Records of purchases stay. */
export async function expireFrames(most = 500): Promise<number> {
  return inTransaction(async (tx) => {
    const gone = await tx.query<{ user_id: string; equipped: boolean }>(
      `DELETE FROM frame_ownerships WHERE (user_id, frame_id) IN
         (SELECT user_id, frame_id FROM frame_ownerships WHERE expires_at <= now()
          ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING user_id, equipped`,
      [most],
    );
    for (const { user_id, equipped } of gone) if (equipped) await tx.publish("user.card_changed", { user_id });
    return gone.length;
  });
}
