import { defineJob } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { pushProvider } from "#shared/domain/identity/push/push.config.ts";
import { reachableByPush } from "#shared/domain/identity/push/push.queries.ts";
import { sendPush } from "#shared/domain/identity/push/send-push.ts";
import { contentOf, isWanted, type PushSubject } from "./push-contents.ts";

interface PushItem {
  readonly about: PushSubject;
  /** The devices to push to, because the others have received it. If absent, all. */
  readonly device_ids?: readonly string[];
}

/** Pushes to phones what users aren't connected to see. The content is read when it is sent. */
export const pushJob = defineJob<{ items: readonly PushItem[]; waits?: number }>("notifications.push", {
  retries: 8,
  retryMaxSeconds: 300,
  timeoutSeconds: 120,
});

const itemsMax = 100;
/** How often pushes wait because the provider asks for it; then they are retried like after other errors. */
const waitsMax = 5;

/** Step: requests pushes of these notifications, to the receivers who have a device to push to. */
export async function requestPushes(tx: Tx, notificationIds: readonly string[]): Promise<void> {
  if (!pushProvider() || notificationIds.length === 0) return;
  const rows = await query<{ id: string; user_id: string }>(
    "SELECT id, user_id FROM notifications WHERE id = ANY($1::uuid[])",
    [notificationIds],
  );
  const reachable = new Set(await reachableByPush(rows.map(({ user_id }) => user_id)));
  const items = rows
    .filter(({ user_id }) => reachable.has(user_id))
    .map(({ id }): PushItem => ({ about: { notification_id: id } }));
  for (let first = 0; first < items.length; first += itemsMax)
    await tx.enqueue(pushJob, { items: items.slice(first, first + itemsMax) });
}

/** Step: requests a push of each message to its recipient, if they have a device to push to. */
export async function requestMessagePushes(
  tx: Tx,
  messages: readonly { messageId: string; userId: string }[],
): Promise<void> {
  if (!pushProvider()) return;
  const reachable = new Set(await reachableByPush(messages.map(({ userId }) => userId)));
  for (const { messageId, userId } of messages)
    if (reachable.has(userId))
      await tx.enqueue(pushJob, { items: [{ about: { message_id: messageId } }] }, { id: messageId });
}

/** Step: requests pushes of messages of groups to their members who have a device, and haven't muted the group. */
export async function requestGroupPushes(tx: Tx, messageIds: readonly string[]): Promise<void> {
  if (!pushProvider() || messageIds.length === 0) return;
  const rows = await query<{ message_id: string; user_id: string }>(
    `SELECT d.id AS message_id, m.user_id FROM direct_messages d
       JOIN conversation_members m ON m.conversation_id = d.conversation_id
     WHERE d.id = ANY ($1::uuid[]) AND m.user_id <> d.sender_id AND m.left_at IS NULL AND ${isWanted}`,
    [messageIds],
  );
  const reachable = new Set(await reachableByPush(rows.map(({ user_id }) => user_id)));
  const items = rows.filter(({ user_id }) => reachable.has(user_id)).map((about): PushItem => ({ about }));
  for (let first = 0; first < items.length; first += itemsMax)
    await tx.enqueue(pushJob, { items: items.slice(first, first + itemsMax) });
}

/**
 * Sends the pushes. A push that only some devices accepted is requested again for the others, so that no one gets it
 * twice. If no push was accepted at all, the job runs again; after the wait, if the provider asks for one.
 * @throws Error to run again
 */
export async function pushItems({ items, waits = 0 }: { items: readonly PushItem[]; waits?: number }): Promise<void> {
  const outcomes = await Promise.all(items.map((item) => pushItem(item)));
  const again = outcomes.flatMap(({ again }) => again ?? []);
  if (again.length === 0) return;
  const waitSeconds = Math.max(...outcomes.map((outcome) => outcome.waitSeconds));
  const waitsNow = waitSeconds > 0 && waits < waitsMax;
  if (!waitsNow && outcomes.every(({ settled }) => !settled)) throw new Error("no push was taken");
  const data = { items: again, waits: waitsNow ? waits + 1 : waits };
  await inTransaction((tx) => tx.enqueue(pushJob, data, { afterSeconds: waitsNow ? waitSeconds : 1 }));
}

/** `settled`: part of it needs nothing more. */
async function pushItem({ about, device_ids }: PushItem) {
  const push = await contentOf(about);
  const { settled, failed, waitSeconds } = push
    ? await sendPush(push.userId, push.content, device_ids)
    : { settled: 1, failed: [], waitSeconds: 0 };
  const again: PushItem | undefined = failed.length > 0 ? { about, device_ids: failed } : undefined;
  return { settled: settled > 0 || !again, again, waitSeconds };
}
