import type { DirectMessage } from "#shared/contracts/views.ts";
import { type StoredCard, toMediaCard } from "#shared/domain/base/media/media-card.ts";
import { type QuoteColumns, toQuote } from "#shared/domain/base/messages/message-content.ts";
import type { StoredReactions } from "#shared/domain/base/messages/reactions.ts";

/** A direct message as stored. */
export interface MessageRow
  extends Pick<
      DirectMessage,
      "id" | "conversation_id" | "sender_id" | "body" | "attachment_url" | "read_at" | "created_at"
    >,
    Partial<QuoteColumns> {
  readonly kind: NonNullable<DirectMessage["kind"]>;
  readonly media: StoredCard | null;
  readonly mentions: string[] | null;
  readonly edited_at: string | null;
  readonly deleted_at: string | null;
  readonly reactions?: StoredReactions | null;
}

/** SQL: the columns of a message `d`. */
export const messageColumns = `d.id, d.conversation_id, d.sender_id, d.body, d.attachment_url, d.read_at, d.created_at,
  d.kind, d.media, d.mentions, d.edited_at, d.deleted_at`;
/** SQL: those, its reactions, and which message it answers. */
export const wholeColumns = `${messageColumns}, d.reactions, d.reply_to`;

/**
 * Returns a message as all see it, without the reactions, and with what it answers if the row has it. Of a deleted one,
 * nothing is left but when it was sent.
 */
export function toDirectMessage(row: MessageRow): DirectMessage {
  const { id, conversation_id, sender_id, attachment_url, read_at, created_at, kind, media, mentions, edited_at } = row;
  const message = { id, conversation_id, sender_id, body: row.body, attachment_url, read_at, created_at };
  if (row.deleted_at) return { ...message, body: "", attachment_url: null, deleted: true };
  const reply_to = row.reply_to ? toQuote(row as QuoteColumns) : undefined;
  return {
    ...message,
    ...(kind !== "text" && { kind }),
    ...(media && { media: toMediaCard(media) }),
    ...(reply_to && { reply_to }),
    ...(mentions && { mentions }),
    ...(edited_at && { edited_at }),
  };
}
