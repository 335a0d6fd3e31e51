import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/**
 * Step: empties the messages that the user wrote, in batches. The fact that there was a message, and when, stays: it is
 * the others' conversation, too. Returns the number of rows.
 */
export const eraseDirectMessages = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    `UPDATE direct_messages SET body = '', attachment_url = NULL, media = NULL, mentions = NULL, client_id = NULL WHERE id IN (
       SELECT d.id FROM conversation_members m JOIN direct_messages d ON d.conversation_id = m.conversation_id
       WHERE m.user_id = $1 AND (m.active_at IS NOT NULL OR m.peer_id IS NULL) AND d.sender_id = $1
         AND (d.body <> '' OR d.attachment_url IS NOT NULL OR d.client_id IS NOT NULL OR d.media IS NOT NULL
           OR d.mentions IS NOT NULL)
       LIMIT ${batch}
     ) RETURNING 1`,
  );
