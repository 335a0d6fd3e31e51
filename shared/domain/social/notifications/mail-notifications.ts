import type { NotificationType } from "#shared/contracts/views.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { queryColumn, queryOne } from "#shared/db/query.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import { maySend } from "#shared/domain/identity/accounts/message-limits.ts";
import { sendMail } from "#shared/domain/identity/mail/send.ts";
import { clock, daysMs, isoNow } from "#shared/kernel/clock.ts";
import { textOf } from "#shared/kernel/translate.ts";
import { contentOf, type PushSubject } from "./push-contents.ts";

/** Emails to users who asked for them what they aren't connected to see. The content is read when it is sent. */
export const notificationMailJob = defineJob<{ about: PushSubject }>("notifications.mail", {
  retries: 8,
  retryMaxSeconds: 900,
  timeoutSeconds: 60,
});

/** How long a notification may be read before it is emailed, seconds. */
export const mailDelaySeconds = 600;

/** A user gets at most one email of each type in this time, days. */
export const mailPauseDays = 1;

/** Types worth an email, besides direct messages: another user did something for the receiver, and waits for them. */
const mailedTypes: readonly NotificationType[] = ["friend_request", "friend_accepted", "gift", "post_comment"];

/** SQL: whether the users row `u` can be emailed now: not connected, the setting is on, and the address is theirs. */
const isReachable = `u.status = 'active' AND u.email_verified_at IS NOT NULL
  AND coalesce((u.settings #>> '{notifications,email}')::boolean, false)
  AND NOT EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now())`;

/** Step: requests emails about those of these notifications that are worth one, to receivers who can be emailed. */
export async function requestMails(tx: Tx, notificationIds: readonly string[]): Promise<void> {
  if (notificationIds.length === 0) return;
  const ids = await queryColumn(
    `SELECT n.id FROM notifications n JOIN users u ON u.id = n.user_id
     WHERE n.id = ANY($1::uuid[]) AND n.type = ANY($2::text[]) AND ${isReachable}`,
    [notificationIds, mailedTypes],
  );
  for (const notification_id of ids)
    await tx.enqueue(notificationMailJob, { about: { notification_id } }, { afterSeconds: mailDelaySeconds });
}

/** Step: requests an email about each message to its recipient, if they can be emailed. */
export async function requestMessageMails(
  tx: Tx,
  messages: readonly { messageId: string; userId: string }[],
): Promise<void> {
  const reachable = new Set(
    await queryColumn(`SELECT u.id FROM users u WHERE u.id = ANY($1::uuid[]) AND ${isReachable}`, [
      messages.map(({ userId }) => userId),
    ]),
  );
  for (const { messageId, userId } of messages)
    if (reachable.has(userId)) {
      const about = { message_id: messageId };
      await tx.enqueue(notificationMailJob, { about }, { id: messageId, afterSeconds: mailDelaySeconds });
    }
}

/**
 * Sends the email about a notification or a message, unless it was read, the user has connected or turned emails off,
 * or an email of the same type was sent in the last day; handles `notificationMailJob`.
 * @throws Error when the mail server does not accept it
 */
export async function mailNotification(about: PushSubject): Promise<void> {
  const news = await contentOf(about);
  if (!news) return;
  const { userId, language, content } = news;
  const { type = "message" } = content.data;
  const user = await queryOne<{ email: string }>(`SELECT email FROM users u WHERE id = $1 AND ${isReachable}`, [
    userId,
  ]);
  if (!user || !(await claimMail(userId, type, about)) || !(await maySend("mail", userId))) return;

  const title =
    type === "message" ? textOf(language, "notifications", "message.title", { name: content.title }) : content.title;
  await sendMail({ userId, address: user.email }, "notification", { title, body: content.body });
}

/** Returns whether this is the one email of its type for a day; also when it is sent again. */
async function claimMail(userId: string, type: string, about: PushSubject): Promise<boolean> {
  const [aboutId] = Object.values(about);
  const pauseBegan = new Date(clock.now() - daysMs(mailPauseDays)).toISOString();
  const claimed = await alone(
    `INSERT INTO notification_mails AS m (user_id, type, about, mailed_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (user_id, type) DO UPDATE SET about = EXCLUDED.about, mailed_at = EXCLUDED.mailed_at
       WHERE m.mailed_at <= $5 OR m.about = EXCLUDED.about RETURNING 1`,
    [userId, type, aboutId, isoNow(), pauseBegan],
  );
  return claimed.length > 0;
}
