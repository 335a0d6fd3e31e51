import { locks } from "#shared/db/locks.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { logger } from "#shared/kernel/logger.ts";
import { oldestId } from "#shared/kernel/page.ts";
import { type MessagePlace, messageTables } from "./message-tables.ts";

const batch = 5000;

/** Messages with IDs after `after`, up to `last`. */
export interface Expired {
  readonly after: string;
  readonly last: string;
}

interface Expiry {
  /** For how many whole months after their own messages are kept; 0 keeps all. */
  readonly months: number;
  /** Step: does what else depends on messages that go. It can be called again for the same ones. */
  readonly forget?: (tx: Tx, expired: Expired) => Promise<void>;
}

/**
 * Deletes the messages that are older, with what belongs to them. A partition that holds no others is dropped as a
 * whole, which costs the same however many it holds.
 */
export async function expireMessages(place: MessagePlace, expiry: Expiry): Promise<void> {
  const { table } = messageTables[place];
  const { months } = expiry;
  if (months === 0) return;
  const limit = (await queryOne<{ id: string }>(
    `SELECT first_id_at((date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1)) AT TIME ZONE 'UTC') AS id`,
    [months],
  ))!;
  const expired = await query<{ name: string; until: string }>(
    `SELECT name, first_id_at("until") AS until FROM table_partitions
     WHERE "table" = $1 AND first_id_at("until") <= $2 ORDER BY "until"`,
    [table, limit.id],
  );
  for (const { name, until } of expired) {
    await expireBefore(table, expiry, { until, dropped: true });
    const found = await inTransaction((tx) =>
      tx.query<{ dropped: boolean }>("SELECT drop_partition($1, $2, $3) AS dropped", [name, months, locks.migrations]),
    );
    // A backup runs.
    if (!found[0]!.dropped) return;
    logger.info({ partition: name }, "a partition with messages has expired, and was dropped");
  }
  await expireBefore(table, expiry, { until: limit.id, dropped: false });
}

type Table = (typeof messageTables)[MessagePlace]["table"];

/** Deletes what belongs to messages before an ID, and the messages, too, if no partition is `dropped` with them. */
async function expireBefore(
  table: Table,
  { forget }: Expiry,
  { until, dropped }: { readonly until: string; readonly dropped: boolean },
): Promise<void> {
  let next: string | null = oldestId;
  while (next !== null) {
    const after: string = next;
    next = await inTransaction(async (tx) => {
      const last = await forgetSome(tx, table, after, until);
      if (last) await forget?.(tx, { after, last });
      if (last && !dropped) await tx.query(`DELETE FROM ${table} WHERE id > $1 AND id <= $2`, [after, last]);
      return last;
    });
  }
}

/** Step: deletes what belongs to the next messages after an ID. Returns the ID of the last; null if there are none. */
async function forgetSome(tx: Tx, table: Table, after: string, until: string): Promise<string | null> {
  const [found] = await tx.query<{ last: string | null; holders: string[] | null }>(
    `WITH looked_at AS MATERIALIZED (
       SELECT id, media IS NOT NULL OR reactions IS NOT NULL OR edited_at IS NOT NULL
         OR EXISTS (SELECT FROM message_pins p WHERE p.message_id = m.id) AS holds
       FROM ${table} m WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${batch}
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
    await tx.query(`UPDATE ${table} SET media = NULL WHERE id = ANY ($1::uuid[]) AND media IS NOT NULL`, [holders]);
  }
  return last;
}
