import { defineJob } from "#shared/db/jobs.ts";
import { locks } from "#shared/db/locks.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { logger } from "#shared/kernel/logger.ts";
import { oldestId } from "#shared/kernel/page.ts";

export const pruneRoomMessagesJob = defineJob("prune.room_messages", {
  retries: 3,
  retryMaxSeconds: 600,
  timeoutSeconds: 3600,
  exclusive: true,
});

const batch = 5000;

/**
 * Deletes the messages that are older than the setting `room_message_months` says, with what belongs to them. A
 * partition that holds no others is dropped as a whole, which costs the same however many it holds.
 */
export async function pruneRoomMessages(): Promise<void> {
  const months = setting("room_message_months");
  if (months === 0) return;
  const limit = (await queryOne<{ id: string }>(
    `SELECT first_id_at((date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1)) AT TIME ZONE 'UTC') AS id`,
    [months],
  ))!;
  const expired = await query<{ name: string; until: string }>(
    `SELECT name, first_id_at("until") AS until FROM table_partitions
     WHERE "table" = 'room_messages' AND first_id_at("until") <= $1 ORDER BY "until"`,
    [limit.id],
  );
  for (const { name, until } of expired) {
    await pruneBefore(until, { dropped: true });
    const found = await inTransaction((tx) =>
      tx.query<{ dropped: boolean }>("SELECT drop_partition($1, $2, $3) AS dropped", [name, months, locks.migrations]),
    );
    // A backup runs.
    if (!found[0]!.dropped) return;
    logger.info({ partition: name }, "a partition with messages of rooms has expired, and was dropped");
  }
  await pruneBefore(limit.id, { dropped: false });
}

/** Deletes what belongs to messages before an ID, and the messages, too, if no partition is `dropped` with them. */
async function pruneBefore(until: string, { dropped }: { dropped: boolean }): Promise<void> {
  let after: string | null = oldestId;
  while (after !== null) {
    const from: string = after;
    after = await inTransaction(async (tx) => {
      const last = await forgetSome(tx, from, until);
      if (last && !dropped) await tx.query("DELETE FROM room_messages WHERE id > $1 AND id <= $2", [from, last]);
      return last;
    });
  }
}

/** Step: deletes what belongs to the next messages after an ID. Returns the ID of the last; null if there are none. */
async function forgetSome(tx: Tx, after: string, until: string): Promise<string | null> {
  const [found] = await tx.query<{ last: string | null; holders: string[] | null }>(
    `WITH looked_at AS MATERIALIZED (
       SELECT id, media IS NOT NULL OR reactions IS NOT NULL OR edited_at IS NOT NULL
         OR EXISTS (SELECT FROM message_pins p WHERE p.message_id = m.id) AS holds
       FROM room_messages m WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${batch}
     ) SELECT (SELECT id FROM looked_at ORDER BY id DESC LIMIT 1) AS last,
         (SELECT array_agg(id) FROM looked_at WHERE holds) AS holders`,
    [after, until],
  );
  const { last, holders } = found!;
  if (holders) {
    await tx.query("DELETE FROM message_edits WHERE message_id = ANY ($1::uuid[])", [holders]);
    await tx.query("DELETE FROM message_reactions WHERE message_id = ANY ($1::uuid[])", [holders]);
    await tx.query("DELETE FROM message_pins WHERE message_id = ANY ($1::uuid[])", [holders]);
    // A trigger counts where media are shown.
    await tx.query("UPDATE room_messages SET media = NULL WHERE id = ANY ($1::uuid[]) AND media IS NOT NULL", [
      holders,
    ]);
  }
  return last;
}
