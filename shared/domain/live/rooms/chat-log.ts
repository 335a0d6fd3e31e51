import { GroupCommit } from "#shared/db/group-commit.ts";
import { query } from "#shared/db/query.ts";
import { onActorPool } from "#shared/db/sequelize.ts";
import { alone } from "#shared/db/transaction.ts";

/** One message to be stored, decided by the actor with `epoch`. */
export interface ChatRow {
  readonly id: string;
  readonly roomId: string;
  readonly epoch: number;
  readonly userId: string;
  readonly body: string;
  readonly clientId: string | null;
  readonly createdAt: string;
}

/**
 * `stored`: durable now. `repeated`: this client_id was stored before, as that message. `stale`: a newer actor owns the
 * room, or it can't be found out.
 */
export type ChatOutcome =
  | { readonly kind: "stored" }
  | { readonly kind: "repeated"; readonly id: string; readonly body: string; readonly createdAt: string }
  | { readonly kind: "stale" };

/**
 * Stores the chat of all rooms of the process, in shared commits. A row rejects if it can't be stored, or if that isn't
 * known (`mayBeCommitted`).
 */
export const chatLog = new GroupCommit<ChatRow, ChatOutcome>((rows) => onActorPool(() => storeBatch(rows)));

async function storeBatch(rows: readonly ChatRow[]): Promise<ChatOutcome[]> {
  // FOR KEY SHARE: a new actor that claims the room waits until these are committed, or these are rejected
  // (`claimRooms`). By room, as actors claim them: they don't wait for each other in a circle.
  const stored = await alone<{ id: string }>(
    `INSERT INTO room_messages (id, room_id, user_id, body, client_id, created_at)
     SELECT m.id, m.room_id, m.user_id, m.body, m.client_id, m.created_at
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::bigint[])
       AS m (id, room_id, user_id, body, client_id, created_at, epoch)
     JOIN room_states s ON s.room_id = m.room_id AND s.epoch = m.epoch
     ORDER BY m.room_id, m.id FOR KEY SHARE OF s
     ON CONFLICT (room_id, user_id, client_id) WHERE client_id IS NOT NULL DO NOTHING
     RETURNING id`,
    [
      rows.map(({ id }) => id),
      rows.map(({ roomId }) => roomId),
      rows.map(({ userId }) => userId),
      rows.map(({ body }) => body),
      rows.map(({ clientId }) => clientId),
      rows.map(({ createdAt }) => createdAt),
      rows.map(({ epoch }) => epoch),
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
  const [first] = await query<{ id: string; body: string; created_at: string }>(
    "SELECT id, body, created_at FROM room_messages WHERE room_id = $1 AND user_id = $2 AND client_id = $3",
    [row.roomId, row.userId, row.clientId],
  );
  return first ? { kind: "repeated", id: first.id, body: first.body, createdAt: first.created_at } : { kind: "stale" };
}
