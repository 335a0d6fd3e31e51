import type { RoomMessage } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { seenCards } from "#shared/domain/users/user-cards.queries.ts";
import { type CursorPage, toCursorPage } from "#shared/kernel/page.ts";

interface MessageRow {
  id: string;
  room_id: string;
  user_id: string;
  body: string;
  kind: "text" | "system";
  created_at: string;
}

/** Chat history, newest first, without deleted messages. `before`: id of the last message seen. */
export async function listMessages(
  viewerId: string,
  roomId: string,
  { before, limit }: { before?: string; limit: number },
): Promise<CursorPage<RoomMessage>> {
  const rows = await query<MessageRow>(
    `SELECT id, room_id, user_id, body, kind, created_at FROM room_messages
     WHERE room_id = $1 AND deleted_at IS NULL AND id < $2 ORDER BY id DESC LIMIT $3`,
    [roomId, before ?? "ffffffff-ffff-ffff-ffff-ffffffffffff", limit + 1],
  );
  const page = toCursorPage(rows, limit);
  const cards = await seenCards(
    viewerId,
    page.items.map(({ user_id }) => user_id),
  );
  const items = page.items.map(({ user_id, ...message }) => ({ ...message, user: cards.get(user_id)! }));
  return { items, next_before: page.next_before };
}

/** Who wrote a message of this room; undefined when there is none, or no longer. */
export async function writerOf(roomId: string, messageId: string): Promise<string | undefined> {
  const row = await queryOne<{ user_id: string }>(
    "SELECT user_id FROM room_messages WHERE id = $1 AND room_id = $2 AND deleted_at IS NULL",
    [messageId, roomId],
  );
  return row?.user_id;
}
