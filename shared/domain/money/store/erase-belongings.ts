import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

/** Step: ends a user's frames and VIP, which others see on their card. Records of purchases stay. */
export const eraseBelongings = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    "DELETE FROM frame_ownerships WHERE user_id = $1 RETURNING 1",
    "UPDATE vip_periods SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL RETURNING 1",
  );
