import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { RoomMessage } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { queryCursorPage } from "#shared/db/query-page.ts";
import { seenCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { CursorPage, CursorQuery } from "#shared/kernel/page.ts";
import { accessChat } from "./rooms.policy.ts";

type MessageRow = Omit<RoomMessage, "user"> & { user_id: string };

/**
 * Returns the chat history of a room, newest first, without deleted messages.
 * @throws NOT_FOUND, ROOM_CLOSED, NOT_A_MEMBER
 */
export async function listMessages(
  actors: VoiceActors,
  caller: UserPrincipal,
  roomId: string,
  cursor: CursorQuery,
): Promise<CursorPage<RoomMessage>> {
  await accessChat(actors, caller, roomId);
  const { items, next_before } = await queryCursorPage<MessageRow>(
    `SELECT id, room_id, user_id, body, kind, created_at FROM room_messages
     WHERE room_id = $1 AND deleted_at IS NULL AND id < $2 ORDER BY id DESC LIMIT $3`,
    [roomId],
    cursor,
  );
  const cards = await seenCards(
    caller.userId,
    items.map(({ user_id }) => user_id),
  );
  return { items: items.map(({ user_id, ...message }) => ({ ...message, user: cards.get(user_id)! })), next_before };
}

/** Returns the author of a message in this room; undefined if it doesn't exist or was deleted. */
export async function writerOf(roomId: string, messageId: string): Promise<string | undefined> {
  const row = await queryOne<{ user_id: string }>(
    "SELECT user_id FROM room_messages WHERE id = $1 AND room_id = $2 AND deleted_at IS NULL",
    [messageId, roomId],
  );
  return row?.user_id;
}
