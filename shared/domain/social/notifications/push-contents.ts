import { queryOne } from "#shared/db/query.ts";
import type { PushContent } from "#shared/domain/identity/push/push.provider.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { textOf } from "#shared/kernel/translate.ts";
import { unreadNotifications } from "./notifications.queries.ts";

/** The subject of a push. Only ids: its content is read when it is sent. */
export type PushSubject =
  | { readonly notification_id: string }
  /** `user_id`: one of the many recipients in a group. */
  | { readonly message_id: string; readonly user_id?: string };

export interface AddressedPush {
  readonly userId: string;
  readonly language: Language;
  readonly content: PushContent;
}

/** SQL: whether the member `m` wants a push of the message `d`. */
export const isWanted = "(NOT m.muted OR coalesce(m.user_id = ANY (d.mentions), false))";

/** More characters than a locked phone shows. */
const bodyMax = 200;

/** Returns what to push to whom; undefined if it is no longer news. */
export function contentOf(about: PushSubject): Promise<AddressedPush | undefined> {
  return "message_id" in about
    ? contentOfMessage(about.message_id, about.user_id)
    : contentOfNotification(about.notification_id);
}

async function contentOfNotification(id: string): Promise<AddressedPush | undefined> {
  const [news] = await unreadNotifications([id]);
  if (!news) return undefined;
  const { type, title, body, data } = news.notification;
  const ids = Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) =>
      key.endsWith("_id") && typeof value === "string" ? [[key, value]] : [],
    ),
  );
  const user = data.user ? { user_id: data.user.id } : {};
  const content = { title, body, data: { type, notification_id: id, ...user, ...ids }, replaces: id };
  return { userId: news.user_id, language: news.language, content };
}

interface MessageRow {
  conversation_id: string;
  sender_id: string;
  name: string;
  group_name: string | null;
  body: string;
  recipient_id: string;
  language: Language | null;
}

/**
 * Returns the push for an unread message, if it wasn't removed, no block stands between the two, and the recipient
 * wants to be notified.
 */
async function contentOfMessage(id: string, userId?: string): Promise<AddressedPush | undefined> {
  const row = await queryOne<MessageRow>(
    `SELECT d.conversation_id, d.sender_id, d.body, m.user_id AS recipient_id, u.language, c.name AS group_name,
       coalesce(nullif(s.full_name, ''), s.username) AS name
     FROM direct_messages d JOIN conversation_members m ON m.conversation_id = d.conversation_id AND m.user_id <> d.sender_id
       JOIN conversations c ON c.id = d.conversation_id
       JOIN users u ON u.id = m.user_id JOIN users s ON s.id = d.sender_id
     WHERE d.id = $1 AND m.user_id = coalesce($2, m.user_id) AND m.left_at IS NULL AND ${isWanted}
       AND d.read_at IS NULL AND coalesce(m.read_at < d.created_at, true) AND NOT is_blocked_between(m.user_id, d.sender_id)
       AND (d.body <> '' OR d.attachment_url IS NOT NULL OR d.media IS NOT NULL) AND d.deleted_at IS NULL
       AND coalesce((u.settings #>> '{notifications,messages}')::boolean, true)`,
    [id, userId ?? null],
  );
  if (!row) return undefined;
  const { conversation_id, sender_id, recipient_id, name, group_name } = row;
  const language = row.language ?? "en";
  const said = row.body === "" ? textOf(language, "notifications", "message.attachment") : shorten(row.body);
  const [title, body] = group_name === null ? [name, said] : [group_name, `${name}: ${said}`];
  const data = { type: "message", conversation_id, message_id: id, user_id: sender_id };
  return { userId: recipient_id, language, content: { title, body, data, replaces: conversation_id } };
}

/** Truncates between characters as people see them. */
function shorten(text: string): string {
  if (text.length <= bodyMax) return text;
  let short = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (short.length + segment.length > bodyMax) break;
    short += segment;
  }
  return `${short}…`;
}
