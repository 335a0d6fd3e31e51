import type { MessageKind, Quote } from "#shared/contracts/views.ts";
import type { StoredCard } from "#shared/domain/base/media/media-card.ts";
import { takeMedia } from "#shared/domain/base/media/take-media.ts";
import { takeSticker } from "#shared/domain/base/stickers/stickers.queries.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { timeOfId } from "#shared/kernel/ids.ts";

/** How long after it was sent a message can be edited. */
export const editableMs = minutesMs(15);
/** How many messages of a room or conversation can be pinned. */
export const pinsMax = 3;

/** What someone says, beside the text. */
export interface MessageContent {
  readonly body: string;
  readonly kind?: MessageKind;
  /** An upload of theirs, or a sticker. */
  readonly media_id?: string;
}

const kindOfMedia = { image: "image", audio: "voice", file: "file" } as const;

/**
 * Returns the kind of a message, and the card of its medium.
 * @throws VALIDATION_ERROR without text and medium, or if the kind is another; NOT_FOUND, CONFLICT for a medium that
 *   isn't theirs, or isn't ready
 */
export async function resolveContent(
  userId: string,
  purpose: "room_message" | "conversation",
  { body, kind, media_id }: MessageContent,
): Promise<{ kind: MessageKind; media?: StoredCard }> {
  if (body === "" && !media_id)
    throw invalidFields([{ field: "body", text: "{{field}} is not allowed to be empty without media" }]);
  if (kind === "sticker") {
    if (body !== "" || !media_id) throw wrongSticker();
    return { kind, media: await takeSticker(media_id) };
  }
  if (!media_id) {
    if (kind && kind !== "text") throw wrongKind("text");
    return { kind: "text" };
  }
  const [media] = await takeMedia(userId, purpose, [media_id]);
  const actual = kindOfMedia[media!.kind];
  if (kind && kind !== actual) throw wrongKind(actual);
  return { kind: actual, media: media! };
}

const wrongSticker = () =>
  invalidFields([{ field: "media_id", text: "{{field}} must be a sticker, and the only thing that is sent" }]);
const wrongKind = (actual: string) =>
  invalidFields([{ field: "kind", text: "{{field}} must be {{actual}} here", values: { actual } }]);

/** @throws CONFLICT when a message is too old to be edited */
export function assertEditable(messageId: string): void {
  if (clock.now() - timeOfId(messageId) > editableMs)
    throw new DomainError("CONFLICT", "A message can be edited for 15 minutes.");
}

/** The columns of a quoted message, and of its author, as SQL selects them. */
export interface QuoteColumns {
  readonly reply_to: string | null;
  readonly quoted_by: string | null;
  readonly quoted_name: string | null;
  readonly quoted_kind: MessageKind | null;
  readonly quoted_body: string | null;
}

/** SQL: the columns of the message `q` that a message answers, and of its author `qu`. */
export const quoteColumns = `qu.id AS quoted_by, qu.full_name AS quoted_name, q.kind AS quoted_kind,
  left(q.body, 200) AS quoted_body`;

/** Returns the quoted card; undefined if the message answers none. */
export const toQuote = ({ reply_to, ...of }: QuoteColumns): Quote | undefined =>
  reply_to === null
    ? undefined
    : of.quoted_by === null
      ? { id: reply_to, user_id: null, full_name: null, kind: null, body: null }
      : {
          id: reply_to,
          user_id: of.quoted_by,
          full_name: of.quoted_name,
          kind: of.quoted_kind,
          body: of.quoted_body,
        };
