import type { Tx } from "#shared/db/transaction.ts";

/** Step: ends a user's frames and VIP, which others see on their card. Records of purchases stay. */
export async function eraseBelongings(tx: Tx, userId: string): Promise<number> {
  const frames = await tx.query("DELETE FROM frame_ownerships WHERE user_id = $1 RETURNING 1", [userId]);
  const periods = await tx.query(
    "UPDATE vip_periods SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL RETURNING 1",
    [userId],
  );
  return frames.length + periods.length;
}
