import type { MessageKind } from "#shared/contracts/views.ts";
import { GroupCommit } from "#shared/db/group-commit.ts";
import { rangeBefore } from "#shared/db/partitions.ts";
import { query } from "#shared/db/query.ts";
import { onActorPool } from "#shared/db/sequelize.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import type { StoredCard } from "#shared/domain/base/media/media-card.ts";

/** One message to be stored, decided by the actor with `epoch`. */
export interface ChatRow {
  readonly id: string;
  readonly roomId: string;
  readonly epoch: number;
  readonly userId: string;
  readonly kind: MessageKind;
  readonly body: string;
  readonly media?: StoredCard | undefined;
  readonly replyTo?: string | undefined;
  readonly mentions: readonly string[];
  readonly clientId: string | null;
  readonly createdAt: string;
}

/**
 * `stored`: durable now. `repeated`: this client_id was stored before, as that message. `stale`: a newer actor owns the
 * room, or it can't be found out.
 */
export type ChatOutcome =
  | { readonly kind: "stored" }
  | { readonly kind: "repeated"; readonly id: string }
  | { readonly kind: "stale" };

/**
 * Stores the chat of all rooms of the process, in shared commits. A row rejects if it can't be stored, or if that isn't
 * known (`mayBeCommitted`).
 */
export const chatLog = new GroupCommit<ChatRow, ChatOutcome>((rows) => onActorPool(() => storeBatch(rows)));

type Run = typeof alone;

/** Stores a batch by one statement; with its events, if someone is mentioned. */
async function storeBatch(rows: readonly ChatRow[]): Promise<ChatOutcome[]> {
  if (rows.every(({ mentions }) => mentions.length === 0)) return storeRows(rows, alone);
  return inTransaction(async (tx) => {
    const outcomes = await storeRows(rows, tx.query);
    for (const [index, { roomId, id, userId, mentions }] of rows.entries())
      if (outcomes[index]!.kind === "stored")
        await tx.publishAll(
          "room.mentioned",
          mentions.map((mentioned) => ({ room_id: roomId, message_id: id, by: userId, user_id: mentioned })),
        );
    return outcomes;
  });
}

async function storeRows(rows: readonly ChatRow[], run: Run): Promise<ChatOutcome[]> {
  // FOR KEY SHARE: a new actor that claims the room waits until these are committed, or these are rejected
  // (`claimRooms`). By room, as actors claim them: they don't wait for each other in a circle. The same client_id
  // is found by an index in the same month, and by a lookup in the one before: each by the index, because the offset
  // keeps the planner from reading the month.
  const stored = await run<{ id: string }>(
    `INSERT INTO room_messages (id, room_id, user_id, body, client_id, created_at, kind, media, reply_to, mentions)
     SELECT m.id, m.room_id, m.user_id, m.body, m.client_id, m.created_at, m.kind, m.media, m.reply_to,
       m.mentions::uuid[]
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::bigint[],
       $8::text[], $9::jsonb[], $10::uuid[], $11::text[])
       AS m (id, room_id, user_id, body, client_id, created_at, epoch, kind, media, reply_to, mentions)
     JOIN room_states s ON s.room_id = m.room_id AND s.epoch = m.epoch
     WHERE NOT EXISTS (SELECT FROM room_messages o WHERE o.room_id = m.room_id AND o.user_id = m.user_id
       AND o.client_id = m.client_id AND o.id >= $12 AND o.id < $13 OFFSET 0)
     ORDER BY m.room_id, m.id FOR KEY SHARE OF s
     ON CONFLICT DO NOTHING
     RETURNING id`,
    [
      rows.map(({ id }) => id),
      rows.map(({ roomId }) => roomId),
      rows.map(({ userId }) => userId),
      rows.map(({ body }) => body),
      rows.map(({ clientId }) => clientId),
      rows.map(({ createdAt }) => createdAt),
      rows.map(({ epoch }) => epoch),
      rows.map(({ kind }) => kind),
      rows.map(({ media }) => (media ? JSON.stringify(media) : null)),
      rows.map(({ replyTo }) => replyTo ?? null),
      rows.map(({ mentions }) => (mentions.length > 0 ? `{${mentions.join(",")}}` : null)),
      ...rangeBefore(rows.map(({ id }) => id)),
    ],
  );
  if (stored.length === rows.length) return rows.map(() => ({ kind: "stored" }));
  const ids = new Set(stored.map(({ id }) => id));
  return Promise.all(
    rows.map((row) =>
      ids.has(row.id) ? { kind: "stored" as const } : explain(row).catch(() => ({ kind: "stale" as const })),
    ),
  );
}

/** Returns why a row was not stored. */
async function explain(row: ChatRow): Promise<ChatOutcome> {
  if (row.clientId === null) return { kind: "stale" };
  const [first] = await query<{ id: string }>(
    `SELECT id FROM room_messages WHERE room_id = $1 AND user_id = $2 AND client_id = $3 ORDER BY id DESC LIMIT 1`,
    [row.roomId, row.userId, row.clientId],
  );
  return first ? { kind: "repeated", id: first.id } : { kind: "stale" };
}
