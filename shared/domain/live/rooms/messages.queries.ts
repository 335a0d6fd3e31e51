import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Quote, RoomMessage } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { queryRecentPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { shadowedColumns, withShadowed } from "#shared/domain/base/filter/shadowed.ts";
import { type StoredCard, toMediaCard } from "#shared/domain/base/media/media-card.ts";
import { type QuoteColumns, quoteColumns, toQuote } from "#shared/domain/base/messages/message-content.ts";
import { reactionsFor, type StoredReactions } from "#shared/domain/base/messages/reactions.ts";
import { seenCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { firstIdAt, timeOfId } from "#shared/kernel/ids.ts";
import type { CursorPage, CursorQuery } from "#shared/kernel/page.ts";
import { accessChat } from "./rooms.policy.ts";

interface MessageRow extends Pick<RoomMessage, "id" | "room_id" | "body" | "kind" | "created_at">, QuoteColumns {
  readonly user_id: string;
  readonly media: StoredCard | null;
  readonly mentions: string[] | null;
  readonly edited_at: string | null;
  readonly reactions: StoredReactions | null;
}

type Quoted = Omit<QuoteColumns, "reply_to">;
type OwnRow = Omit<MessageRow, keyof Quoted>;

/** SQL: a message `m`. */
const ownColumns = `m.id, m.room_id, m.user_id, m.body, m.kind, m.created_at, m.media, m.mentions, m.edited_at,
  m.reactions, m.reply_to`;
/** SQL: a message `m`, and what it answers. Erased authors of quoted messages have no name. */
const columns = `${ownColumns}, ${quoteColumns}`;
const quoted = `LEFT JOIN room_messages q ON q.id = m.reply_to AND q.room_id = m.room_id AND q.deleted_at IS NULL
  LEFT JOIN users qu ON qu.id = q.user_id`;

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
  const { items, next_before } = await queryRecentPage<OwnRow>(
    `SELECT ${ownColumns} FROM (${withShadowed(history, "$5", "id >= $3 AND id < $4")}) AS m ORDER BY m.id DESC`,
    [roomId, caller.userId],
    cursor,
    // Clocks may differ: that of the room, and that of its first message.
    { oldest: firstIdAt(timeOfId(roomId) - daysMs(1)), read: queryAnywhere },
  );
  return { items: await toMessages(caller.userId, await withQuotes(roomId, items)), next_before };
}

/** Adds what the messages answer. A statement of its own: in a join, its month isn't known when it is planned. */
async function withQuotes(roomId: string, rows: readonly OwnRow[]): Promise<MessageRow[]> {
  const ids = rows.flatMap(({ reply_to }) => reply_to ?? []);
  const found =
    ids.length === 0
      ? []
      : await queryAnywhere<Quoted & { id: string }>(
          `SELECT q.id, ${quoteColumns} FROM room_messages q LEFT JOIN users qu ON qu.id = q.user_id
           WHERE q.id = ANY ($1::uuid[]) AND q.room_id = $2 AND q.deleted_at IS NULL`,
          [ids, roomId],
        );
  const quotes = new Map(found.map(({ id, ...quote }) => [id, quote]));
  const none: Quoted = { quoted_by: null, quoted_name: null, quoted_kind: null, quoted_body: null };
  return rows.map((row) => ({ ...row, ...((row.reply_to && quotes.get(row.reply_to)) || none) }));
}

/** Returns the pinned messages of a room, the latest pin first. @throws NOT_FOUND, ROOM_CLOSED, NOT_A_MEMBER */
export async function listPins(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<RoomMessage[]> {
  await accessChat(actors, caller, roomId);
  const rows = await query<MessageRow>(
    `SELECT ${columns} FROM message_pins p JOIN room_messages m ON m.id = p.message_id AND m.deleted_at IS NULL ${quoted}
     WHERE p.place_id = $1 ORDER BY p.pinned_at DESC`,
    [roomId],
  );
  return toMessages(caller.userId, rows);
}

/** Returns a message as one user sees it. It is there. */
export async function readMessage(userId: string, id: string): Promise<RoomMessage> {
  const rows = await query<MessageRow>(`SELECT ${columns} FROM room_messages m ${quoted} WHERE m.id = $1`, [id]);
  return (await toMessages(userId, rows))[0]!;
}

async function toMessages(userId: string, rows: readonly MessageRow[]): Promise<RoomMessage[]> {
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
  const row = await queryOne<QuoteColumns>(
    `SELECT q.id AS reply_to, ${quoteColumns} FROM room_messages q JOIN users qu ON qu.id = q.user_id
     WHERE q.id = $1 AND q.room_id = $2 AND q.deleted_at IS NULL`,
    [messageId, roomId],
  );
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
