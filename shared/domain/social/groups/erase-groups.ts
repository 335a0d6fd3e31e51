import { countChanges } from "#shared/db/batches.ts";
import { columnOf } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { departFrom } from "./members.ts";

const batch = 20;

/**
 * Step: ends the user's memberships in groups, some at a time, and takes down the pictures that they gave to groups,
 * also to those they have left. Returns how many.
 */
export async function eraseGroups(tx: Tx, userId: string): Promise<number> {
  const shown = await countChanges(
    tx,
    userId,
    `UPDATE conversations c SET picture_url = NULL FROM conversation_members m, media
     WHERE m.user_id = $1 AND m.peer_id IS NULL AND c.id = m.conversation_id
       AND media.user_id = $1 AND media.purpose = 'group' AND c.picture_url LIKE '%media/' || media.id || '/%' RETURNING 1`,
  );
  const ids = columnOf(
    await tx.query<{ id: string }>(
      `SELECT conversation_id AS id FROM conversation_members
       WHERE user_id = $1 AND peer_id IS NULL AND left_at IS NULL ORDER BY 1 LIMIT ${batch}`,
      [userId],
    ),
  );
  for (const id of ids) {
    await tx.query("SELECT FROM conversations WHERE id = $1 FOR NO KEY UPDATE", [id]);
    await departFrom(tx, id, userId);
  }
  return shown + ids.length;
}
