import { defineJob } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { pushProvider } from "#shared/domain/identity/push/push.config.ts";
import { reachableByPush } from "#shared/domain/identity/push/push.queries.ts";
import { sendPush } from "#shared/domain/identity/push/send-push.ts";
import { contentOf, type PushSubject } from "./push-contents.ts";

interface PushItem {
  readonly about: PushSubject;
  /** The devices to push to, because the others have received it. If absent, all. */
  readonly device_ids?: readonly string[];
}

/** Pushes to phones what users aren't connected to see. The content is read when it is sent. */
export const pushJob = defineJob<{ items: readonly PushItem[] }>("notifications.push", {
  retries: 8,
  retryMaxSeconds: 300,
  timeoutSeconds: 120,
});

const itemsMax = 100;

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

/**
 * Sends the pushes. A push that only some devices accepted is requested again for the others, so that no one gets it
 * twice. If no push was accepted at all, the job runs again.
 * @throws Error in that case
 */
export async function pushItems({ items }: { items: readonly PushItem[] }): Promise<void> {
  const outcomes = await Promise.all(items.map((item) => pushItem(item)));
  const again = outcomes.flatMap(({ again }) => again ?? []);
  if (again.length === 0) return;
  if (outcomes.every(({ settled }) => !settled)) throw new Error("no push was taken");
  await inTransaction((tx) => tx.enqueue(pushJob, { items: again }, { afterSeconds: 1 }));
}

/** `settled`: part of it needs nothing more. */
async function pushItem({ about, device_ids }: PushItem): Promise<{ settled: boolean; again?: PushItem }> {
  const push = await contentOf(about);
  if (!push) return { settled: true };
  const { settled, failed } = await sendPush(push.userId, push.content, device_ids);
  if (failed.length === 0) return { settled: true };
  return { settled: settled > 0, again: { about, device_ids: failed } };
}
