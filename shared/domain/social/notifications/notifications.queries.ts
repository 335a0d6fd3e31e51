import type { Notification, NotificationData, UserCard } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Language } from "#shared/kernel/languages.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { notificationTexts } from "./notification-texts.ts";

interface NotificationRow extends Pick<Notification, "id" | "type" | "read_at" | "created_at"> {
  user_id: string;
  data: Omit<NotificationData, "user" | "count" | "total_coins">;
  events: number;
  coins: number;
  /** Null if no user caused it. */
  actor: UserCard | null;
  room_name: string | null;
  announcement: { title: string; body: string } | null;
}

/** SQL: the notification `n` as its receiver sees it. Names a room only while everyone can see it. */
const columns = `n.id, n.user_id, n.type, n.data, n.events, n.coins, n.read_at, n.created_at,
  CASE WHEN n.actor_id IS NOT NULL THEN ${userCardJson} END AS actor,
  (SELECT r.name FROM rooms r WHERE n.type = 'room_opened' AND r.id = (n.data ->> 'room_id')::uuid
     AND r.status = 'open' AND NOT r.is_private) AS room_name,
  (SELECT json_build_object('title', b.title, 'body', b.body) FROM broadcasts b
     WHERE n.type = 'announcement' AND b.id = (n.data ->> 'broadcast_id')::uuid) AS announcement`;
const joined = "LEFT JOIN users u ON u.id = n.actor_id";

/** Selects the notifications that a user can see: none from users whom they have blocked or who have blocked them. */
const notBlocked = (actor: string, userId: string) =>
  `(${actor} IS NULL OR ${actor} NOT IN (SELECT blocked_people(${userId})))`;
const seenBy = (userId: string) => `n.user_id = ${userId} AND ${notBlocked("n.actor_id", userId)}`;
const unread = "n.read_at IS NULL";

function toNotification(row: NotificationRow, language: Language): Notification {
  const { id, type, read_at, created_at } = row;
  const coins = type === "gift" ? { total_coins: row.coins } : {};
  const data: NotificationData = { user: row.actor, count: row.events, ...row.data, ...coins };
  return {
    id,
    type,
    ...notificationTexts(language, type, { data, roomName: row.room_name, announcement: row.announcement }),
    data,
    read_at,
    created_at,
  } as Notification;
}

export interface NotificationsQuery extends PageQuery {
  /** Only unread notifications. */
  readonly unread: boolean;
}

const listOf = (filter: string) => ({
  count: `SELECT count(*) AS total FROM notifications n WHERE ${filter}`,
  rows: `SELECT ${columns}
    FROM (
      SELECT * FROM notifications n WHERE ${filter} ORDER BY n.created_at DESC, n.id DESC LIMIT $2 OFFSET $3
    ) n ${joined}
    ORDER BY n.created_at DESC, n.id DESC`,
});
const all = listOf(seenBy("$1"));
const allUnread = listOf(`${seenBy("$1")} AND ${unread}`);

/** Returns a user's notifications, the most recently updated first, with texts in this language. */
export async function listNotifications(
  userId: string,
  asked: NotificationsQuery,
  language: Language = "en",
): Promise<Page<Notification>> {
  const found = await queryPage<NotificationRow>(asked.unread ? allUnread : all, [userId], asked, queryAnywhere);
  return { ...found, items: found.items.map((row) => toNotification(row, language)) };
}

/** Returns how many notifications of a user are unread. */
export async function countUnread(userId: string): Promise<number> {
  return (await queryOne<{ total: number }>(allUnread.count, [userId]))?.total ?? 0;
}

/**
 * Returns one notification of a user.
 * @throws NOT_FOUND
 */
export async function getNotification(userId: string, id: string, language: Language): Promise<Notification> {
  const row = await queryOne<NotificationRow>(
    `SELECT ${columns} FROM notifications n ${joined} WHERE ${seenBy("$1")} AND n.id = $2`,
    [userId, id],
  );
  if (!row) throw new DomainError("NOT_FOUND");
  return toNotification(row, language);
}

export interface UnreadNotification {
  readonly user_id: string;
  /** That its receiver has chosen. */
  readonly language: Language;
  readonly notification: Notification;
  readonly unread_count: number;
}

/**
 * Returns those of these notifications that are still unread and visible to their receivers, in their current state,
 * each in the language that its receiver has chosen.
 */
export async function unreadNotifications(ids: readonly string[]): Promise<UnreadNotification[]> {
  const rows = await query<NotificationRow & { unread_count: number; language: Language | null }>(
    `SELECT ${columns}, (SELECT r.language FROM users r WHERE r.id = n.user_id) AS language, (SELECT count(*) FROM notifications c
       WHERE c.user_id = n.user_id AND c.read_at IS NULL AND ${notBlocked("c.actor_id", "n.user_id")}
     ) AS unread_count
     FROM notifications n ${joined} WHERE n.id = ANY($1::uuid[]) AND ${seenBy("n.user_id")} AND ${unread}`,
    [ids],
  );
  return rows.map(({ unread_count, language, ...row }) => ({
    user_id: row.user_id,
    language: language ?? "en",
    notification: toNotification(row, language ?? "en"),
    unread_count,
  }));
}
