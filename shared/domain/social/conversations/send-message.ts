import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { DirectMessage, MessageKind } from "#shared/contracts/views.ts";
import { rangeBefore } from "#shared/db/partitions.ts";
import { columnOf, query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { hasRules, judgeContent } from "#shared/domain/base/filter/check-content.ts";
import {
  type AlsoStored,
  type HeldText,
  type Holding,
  hold,
  reviewed,
} from "#shared/domain/base/filter/held-content.ts";
import type { StoredCard } from "#shared/domain/base/media/media-card.ts";
import { assertOwnAddresses } from "#shared/domain/base/media/own-addresses.ts";
import {
  type MessageContent,
  type QuoteColumns,
  resolveContent,
} from "#shared/domain/base/messages/message-content.ts";
import { findQuoted, withQuotes } from "#shared/domain/base/messages/quotes.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { clock, daysMs, startOfMonth } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { firstIdAt, newIdAfter, timeOfId } from "#shared/kernel/ids.ts";
import { newestId, oldestId } from "#shared/kernel/page.ts";
import { emptyMessage } from "./conversations.errors.ts";
import { type Access, accessConversation, assertCanMessage, lockConversation } from "./conversations.policy.ts";
import { type MessageRow, messageColumns, toDirectMessage, wholeColumns } from "./message-row.ts";
import { readShadowed } from "./messages.queries.ts";

const plain = { kind: "text" } as const;

export interface MessageInput extends MessageContent {
  readonly attachment_url?: string;
  /** The message of this conversation that it answers. */
  readonly reply_to?: string;
  /** Whom it mentions. Those who aren't members are left out. */
  readonly mentions?: readonly string[];
  /**
   * Chosen by the sender. In one conversation, the same `client_id` identifies the same message, for at least a month.
   */
  readonly client_id?: string;
}

export interface SentMessage {
  readonly message: DirectMessage;
  /** False: this `client_id` was sent before, as this message. */
  readonly created: boolean;
}

/**
 * Stores a message, counts it as unread for the others, and publishes `dm.new`. A repeated `client_id` returns
 * the first message and has no effect, even if the caller could no longer write.
 * @throws NOT_FOUND to non-members, or if the peer's account isn't active; BLOCKED; FORBIDDEN if the peer's settings
 *   don't let the caller write; VALIDATION_ERROR for an empty message; CONTENT_BLOCKED
 */
export async function sendMessage(
  caller: UserPrincipal,
  conversationId: string,
  given: MessageInput,
): Promise<SentMessage> {
  if (given.body === "" && given.attachment_url === undefined && given.media_id === undefined) throw emptyMessage();
  assertOwnAddresses([given.attachment_url]);
  const find = () => findSent(caller.userId, conversationId, given.client_id);
  // Rules count what they see, and may punish its author, so they see each message once.
  const before = hasRules() ? await find() : undefined;
  if (before) return { message: before, created: false };
  try {
    return await sendNew(caller, conversationId, given);
  } catch (error) {
    // Most messages are sent once, so it's asked only now whether this one was sent before it became forbidden.
    const sent = error instanceof DomainError && (await find());
    if (!sent) throw error;
    return { message: sent, created: false };
  }
}

/** Sends a message, or keeps it until it is released, as the rules for its content say. */
async function sendNew(caller: UserPrincipal, conversationId: string, given: MessageInput): Promise<SentMessage> {
  const { userId } = caller;
  const { mentions = [] } = given;
  const {
    text: body,
    held,
    alert,
  } = judgeContent("direct_message", given.body, {
    ...(await authorOf(userId)),
    mentions: mentions.length,
  });
  if (held) return { message: await holdMessage(caller, conversationId, { ...given, body }, held), created: true };
  const written = { place: "direct_message", userId, targetId: conversationId, text: body } as const;
  return deliverMessage(caller, conversationId, { ...given, body }, reviewed(written, alert));
}

/** Keeps a message until it is released, and shows it to its author. */
async function holdMessage(
  { userId }: UserPrincipal,
  conversationId: string,
  input: MessageInput,
  held: Holding,
): Promise<DirectMessage> {
  const access = await accessConversation(userId, conversationId);
  await assertCanMessage(userId, access);
  const { body, client_id, attachment_url = null } = input;
  const written = { place: "direct_message", userId, targetId: conversationId, text: body } as const;
  const kept = { ...written, input, clientId: client_id };
  if (held.shadowed) return shadowMessage(access, kept, held);
  const id = await inTransaction((tx) => hold(tx, kept, held));
  return {
    id,
    conversation_id: conversationId,
    sender_id: userId,
    body,
    attachment_url,
    read_at: null,
    created_at: new Date(timeOfId(id)).toISOString(),
    held: true,
    ...(client_id !== undefined && { client_id }),
  };
}

/** Keeps a message until it is released, and shows it to its author as sent. @throws as a message that is sent */
async function shadowMessage(
  access: Access,
  kept: HeldText & { readonly input: MessageInput },
  held: Holding,
): Promise<DirectMessage> {
  const { userId, input } = kept;
  const content = await contentOf(userId, input);
  return inTransaction(async (tx) => {
    if (input.reply_to !== undefined) await quoteOf(access.id, input.reply_to);
    const mentions = await membersAmong(tx, { conversationId: access.id, userId }, input.mentions);
    const id = await hold(
      tx,
      { ...kept, id: newIdAfter(access.last_message_id), shown: { ...content, mentions } },
      held,
    );
    const shadowed = await readShadowed(userId, id, access);
    // Another message with its `client_id` is held, or can't be delivered.
    if (!shadowed) throw new DomainError("CONFLICT");
    const message = { ...shadowed, ...(input.client_id !== undefined && { client_id: input.client_id }) };
    await tx.publish("dm.shadowed", { message });
    return message;
  });
}

const contentOf = (userId: string, input: MessageInput) =>
  input.attachment_url === undefined ? resolveContent(userId, "conversation", input) : Promise.resolve(plain);

/** Sends a message that the rules have let pass. @throws as above, but CONTENT_BLOCKED */
export async function deliverMessage(
  { userId }: Pick<UserPrincipal, "userId">,
  conversationId: string,
  input: MessageInput,
  also?: AlsoStored,
): Promise<SentMessage> {
  const { reply_to } = input;
  await accessConversation(userId, conversationId);
  const content = await contentOf(userId, input);
  return inTransaction(async (tx) => {
    const access = await lockConversation(tx, userId, conversationId);
    await assertCanMessage(userId, access);
    const quote = reply_to === undefined ? undefined : await quoteOf(conversationId, reply_to);
    const id = newIdAfter(access.last_message_id);
    const mentioned = await membersAmong(tx, { conversationId, userId }, input.mentions);
    const stored = await storeMessage(tx, { id, access, userId }, { ...input, ...content, mentions: mentioned });
    if (!stored) return { message: (await findAnySent(userId, conversationId, input.client_id))!, created: false };
    const message = await toSent({ ...stored, ...quote }, access, input);
    await tx.publish("dm.new", { message, recipient_id: access.peer_id });
    await also?.(tx, message.id);
    return { message, created: true };
  });
}

/** Returns those of the mentioned users who are members, without the sender. */
async function membersAmong(
  tx: Tx,
  { conversationId, userId }: { readonly conversationId: string; readonly userId: string },
  mentions: readonly string[] = [],
): Promise<string[]> {
  if (mentions.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    `SELECT user_id AS id FROM conversation_members
     WHERE conversation_id = $1 AND user_id = ANY ($2::uuid[]) AND user_id <> $3 AND left_at IS NULL`,
    [conversationId, mentions, userId],
  );
  return columnOf(rows);
}

/** Returns the message that is answered. @throws NOT_FOUND if it isn't there */
async function quoteOf(conversationId: string, messageId: string): Promise<QuoteColumns> {
  const quote = await findQuoted("conversation", { placeId: conversationId, messageId });
  if (!quote) throw new DomainError("NOT_FOUND", "The message that you answer doesn't exist.");
  return quote;
}

/** The IDs of this month and the last, and of the next one when it is about to begin: few partitions have them. */
const recentIds = (): [from: string, until: string] => [
  firstIdAt(startOfMonth(clock.now(), -1)),
  firstIdAt(startOfMonth(clock.now() + daysMs(1), 1)),
];

/** Returns the message that was sent with this `client_id`, by default in this month or the last. */
async function findSent(
  userId: string,
  conversationId: string,
  clientId: string | undefined,
  ids = recentIds(),
): Promise<DirectMessage | undefined> {
  if (clientId === undefined) return undefined;
  const found = await query<MessageRow & Pick<QuoteColumns, "reply_to">>(
    `SELECT ${wholeColumns} FROM direct_messages d
     WHERE d.conversation_id = $1 AND d.sender_id = $2 AND d.client_id = $3 AND d.id >= $4 AND d.id < $5`,
    [conversationId, userId, clientId, ...ids],
  );
  const [row] = await withQuotes("conversation", found, ({ conversation_id }) => conversation_id);
  return row && { ...toDirectMessage(row), client_id: clientId };
}

/** Returns it whenever it was sent: the index of a table or a partition of many months knows more than the last one. */
const findAnySent = async (...of: [userId: string, conversationId: string, clientId: string | undefined]) =>
  (await findSent(...of)) ?? findSent(...of, [oldestId, newestId]);

/** Stores the message under the conversation's lock; returns undefined if the sender's `client_id` exists already. */
async function storeMessage(
  tx: Tx,
  { id, access, userId }: { readonly id: string; readonly access: Access; readonly userId: string },
  input: MessageInput & { readonly kind: MessageKind; readonly media?: StoredCard; readonly mentions: string[] },
): Promise<MessageRow | undefined> {
  const { body, attachment_url, client_id, kind, media, reply_to, mentions } = input;
  // The same `client_id` is found by an index in the same month, and by a lookup in the one before. The offset keeps
  // the planner from reading the month.
  const [stored] = await tx.query<MessageRow>(
    `WITH stored AS (
       INSERT INTO direct_messages
         (id, conversation_id, sender_id, body, attachment_url, client_id, created_at, kind, media, reply_to, mentions)
       SELECT $1, $2, $3, $4, $5, $6, clock_timestamp(), $7, $8, $9, $10
       WHERE NOT EXISTS (SELECT FROM direct_messages o WHERE o.conversation_id = $2 AND o.sender_id = $3
         AND o.client_id = $6 AND o.id >= $11 AND o.id < $12 OFFSET 0)
       ON CONFLICT DO NOTHING
       RETURNING *
     ), counted AS (
       UPDATE conversations c
       SET last_message_id = stored.id, message_count = message_count + 1, active_at = stored.created_at
       FROM stored WHERE c.id = stored.conversation_id RETURNING c.id, c.message_count, c.active_at
     ), ${access.peer_id === null ? readBySender : shownToBoth}
     SELECT ${messageColumns} FROM stored d`,
    [
      id,
      access.id,
      userId,
      body,
      attachment_url ?? null,
      client_id ?? null,
      kind,
      media ? JSON.stringify(media) : null,
      reply_to ?? null,
      mentions.length > 0 ? mentions : null,
      ...rangeBefore([id]),
    ],
  );
  return stored;
}

/** Returns a message as its sender gets it; in a group, with who sent it. */
async function toSent(
  row: MessageRow,
  { peer_id }: Access,
  { client_id }: Pick<MessageInput, "client_id">,
): Promise<DirectMessage> {
  const sender = peer_id === null ? await findUserCard(row.sender_id) : undefined;
  return { ...toDirectMessage(row), ...(sender && { sender }), ...(client_id !== undefined && { client_id }) };
}

/** SQL: each of the two sees the conversation at the top of their inbox, and the peer one more message unread. */
const shownToBoth = `shown AS (
  UPDATE conversation_members m
  SET active_at = stored.created_at, unread = unread + (m.user_id <> stored.sender_id)::integer
  FROM stored WHERE m.conversation_id = stored.conversation_id
)`;
/** SQL: a group counts its messages once, for all: only the sender has read as many as there are. */
const readBySender = `seen AS (
  UPDATE conversation_members m SET read_count = counted.message_count, read_at = counted.active_at
  FROM counted WHERE m.conversation_id = counted.id AND m.user_id = $3
)`;
