import type { Tx } from "#shared/db/transaction.ts";

/** Step: ends what somebody owned and others saw on his card, frames and VIP; what he paid for it stays written down. */
export async function eraseBelongings(tx: Tx, userId: string): Promise<number> {
  const frames = await tx.query("DELETE FROM frame_ownerships WHERE user_id = $1 RETURNING 1", [userId]);
  const periods = await tx.query(
    "UPDATE vip_periods SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL RETURNING 1",
    [userId],
  );
  return frames.length + periods.length;
}
