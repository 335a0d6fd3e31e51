import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Quote, RoomMessage } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { queryRecentPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { shadowedColumns, withShadowed } from "#shared/domain/base/filter/shadowed.ts";
import { type StoredCard, toMediaCard } from "#shared/domain/base/media/media-card.ts";
import { toQuote } from "#shared/domain/base/messages/message-content.ts";
import { oldestIn } from "#shared/domain/base/messages/message-tables.ts";
import { findQuoted, withQuotes } from "#shared/domain/base/messages/quotes.ts";
import { reactionsFor, type StoredReactions } from "#shared/domain/base/messages/reactions.ts";
import { seenCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { CursorPage, CursorQuery } from "#shared/kernel/page.ts";
import { accessChat } from "./rooms.policy.ts";

interface MessageRow extends Pick<RoomMessage, "id" | "room_id" | "body" | "kind" | "created_at"> {
  readonly user_id: string;
  readonly media: StoredCard | null;
  readonly mentions: string[] | null;
  readonly edited_at: string | null;
  readonly reactions: StoredReactions | null;
  readonly reply_to: string | null;
}

/** SQL: a message `m`. */
const columns = `m.id, m.room_id, m.user_id, m.body, m.kind, m.created_at, m.media, m.mentions, m.edited_at,
  m.reactions, m.reply_to`;

const history = {
  from: "room_messages WHERE room_id = $1 AND deleted_at IS NULL",
  columns: { ...shadowedColumns, room_id: "h.target_id", user_id: "h.user_id" },
};

/**
 * Returns the chat history of a room, newest first, without deleted messages, and with what the caller wrote that is
 * shadowed.
 * @throws NOT_FOUND, ROOM_CLOSED, NOT_A_MEMBER
 */
export async function listMessages(
  actors: VoiceActors,
  caller: UserPrincipal,
  roomId: string,
  cursor: CursorQuery,
): Promise<CursorPage<RoomMessage>> {
  await accessChat(actors, caller, roomId);
  const { items, next_before } = await queryRecentPage<MessageRow>(
    `SELECT ${columns} FROM (${withShadowed(history, "$5", "id >= $3 AND id < $4")}) AS m ORDER BY m.id DESC`,
    [roomId, caller.userId],
    cursor,
    { oldest: oldestIn(roomId), read: queryAnywhere },
  );
  return { items: await toMessages(caller.userId, items, queryAnywhere), next_before };
}

/** Returns the pinned messages of a room, the latest pin first. @throws NOT_FOUND, ROOM_CLOSED, NOT_A_MEMBER */
export async function listPins(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<RoomMessage[]> {
  await accessChat(actors, caller, roomId);
  const rows = await query<MessageRow>(
    `SELECT ${columns} FROM message_pins p JOIN room_messages m ON m.id = p.message_id AND m.deleted_at IS NULL
     WHERE p.place_id = $1 ORDER BY p.pinned_at DESC`,
    [roomId],
  );
  return toMessages(caller.userId, rows);
}

/** Returns a message as one user sees it. It is there. */
export async function readMessage(userId: string, id: string): Promise<RoomMessage> {
  const rows = await query<MessageRow>(`SELECT ${columns} FROM room_messages m WHERE m.id = $1`, [id]);
  return (await toMessages(userId, rows))[0]!;
}

async function toMessages(userId: string, found: readonly MessageRow[], read = query): Promise<RoomMessage[]> {
  const rows = await withQuotes("room", found, ({ room_id }) => room_id, read);
  const [cards, reactions] = await Promise.all([
    seenCards(
      userId,
      rows.map(({ user_id }) => user_id),
    ),
    reactionsFor(userId, rows),
  ]);
  return rows.map((row) => {
    const { id, room_id, body, kind, created_at, media, mentions, edited_at } = row;
    const reply_to = toQuote(row);
    const reacted = reactions.get(id);
    return {
      ...{ id, room_id, user: cards.get(row.user_id)!, body, kind, created_at },
      ...(media && { media: toMediaCard(media) }),
      ...(reply_to && { reply_to }),
      ...(mentions && { mentions }),
      ...(edited_at && { edited_at }),
      ...(reacted && { reactions: reacted }),
    };
  });
}

/** Returns the card of a message that shall be answered. @throws NOT_FOUND if it isn't in this room, or was deleted */
export async function quoteOf(roomId: string, messageId: string): Promise<Quote> {
  const row = await findQuoted("room", { placeId: roomId, messageId });
  if (!row) throw new DomainError("NOT_FOUND", "The message that you answer doesn't exist.");
  return toQuote(row)!;
}

/** Returns the author of a message in this room; undefined if it doesn't exist or was deleted. */
export async function writerOf(roomId: string, messageId: string): Promise<string | undefined> {
  const row = await queryOne<{ user_id: string }>(
    "SELECT user_id FROM room_messages WHERE id = $1 AND room_id = $2 AND deleted_at IS NULL",
    [messageId, roomId],
  );
  return row?.user_id;
}
