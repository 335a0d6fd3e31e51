import { defineJob } from "#shared/db/jobs.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";

/** Runs when something is to expire. Another look every minute is the net under it. */
export const expireStoreJob = defineJob("store.expire", { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 60 });

/** Step: has what ends then noted right after it, for where cards are kept in memory. `endsAt` is an ISO time. */
export async function noteExpiryAt(tx: Tx, endsAt: string): Promise<void> {
  const afterSeconds = Math.max(1, Math.ceil((Date.parse(endsAt) - clock.now()) / 1000) + 1);
  await tx.enqueue(expireStoreJob, {}, { afterSeconds });
}

/** What the job does. */
export async function expireStore(): Promise<void> {
  let ended: number;
  do ended = (await expireVip()) + (await expireFrames());
  while (ended > 0);
}

/**
 * Notes VIP periods that are over, some at a time, and tells that cards have changed. What has expired is shown nowhere
 * before this either, save where a card is kept in memory. A job calls it. Answers how many; 0 when none are left.
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

/** Takes away frames whose time is over, likewise. That they were bought stays written. */
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
