import { defineJob } from "#shared/db/jobs.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { type Expired, expireMessages } from "#shared/domain/base/messages/expire-messages.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";

export const pruneDirectMessagesJob = defineJob("prune.direct_messages", {
  retries: 3,
  retryMaxSeconds: 600,
  timeoutSeconds: 3600,
  exclusive: true,
});

/** Deletes the messages of conversations that are older than the setting `direct_message_months` says. */
export const pruneDirectMessages = (): Promise<void> =>
  expireMessages("conversation", { months: setting("direct_message_months"), forget: uncount });

/**
 * Step: takes messages that expire out of what conversations and their members count, once: where it has come to is
 * stored with the counts. Of two members, each has at most as many unread as the peer's messages that are left; in a
 * group, those who have read some had read the oldest first.
 */
async function uncount(tx: Tx, { after, last }: Expired): Promise<void> {
  const [reached] = await tx.query<{ until: string }>(
    "SELECT counted_until AS until FROM direct_message_expiry FOR UPDATE",
  );
  const from = reached && reached.until > after ? reached.until : after;
  if (from >= last) return;
  await tx.query(
    `WITH gone AS (
       SELECT conversation_id, count(*) AS messages FROM direct_messages WHERE id > $1 AND id <= $2 GROUP BY 1
     ), counted AS (
       UPDATE conversations c SET message_count = greatest(c.message_count - gone.messages, 0)
       FROM gone WHERE c.id = gone.conversation_id RETURNING c.id, gone.messages
     )
     UPDATE conversation_members m
     SET read_count = greatest(m.read_count - counted.messages, 0),
       unread = CASE WHEN m.unread > 0 THEN (
         SELECT count(*) FROM (
           SELECT FROM direct_messages d
           WHERE d.conversation_id = m.conversation_id AND d.sender_id = m.peer_id AND d.id > $2 LIMIT m.unread
         ) AS peers) ELSE 0 END
     FROM counted WHERE m.conversation_id = counted.id`,
    [from, last],
  );
  await tx.query(
    `INSERT INTO direct_message_expiry (counted_until) VALUES ($1)
     ON CONFLICT (only_row) DO UPDATE SET counted_until = EXCLUDED.counted_until`,
    [last],
  );
}
