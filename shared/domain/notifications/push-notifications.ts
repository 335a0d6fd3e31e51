import { defineJob } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { pushProvider } from "#shared/domain/push/push.config.ts";
import { reachableByPush } from "#shared/domain/push/push.queries.ts";
import { sendPush } from "#shared/domain/push/send-push.ts";
import { contentOf, type PushAbout } from "./push-contents.ts";

interface PushItem {
  readonly about: PushAbout;
  /** Only these: the others have it. */
  readonly device_ids?: readonly string[];
}

/** Tells people on their phones what they are not connected to see. What it says is read when it is sent. */
export const pushJob = defineJob<{ items: readonly PushItem[] }>("notifications.push", {
  retries: 8,
  retryMaxSeconds: 300,
  timeoutSeconds: 120,
});

const itemsMax = 100;

/** Step: asks for pushes of these notifications, to those of their receivers whom one would reach. */
export async function askForPushes(tx: Tx, notificationIds: readonly string[]): Promise<void> {
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

/** Asks for one push to one person whom it would reach; once for each `id`. */
export async function askForPush(userId: string, about: PushAbout, id: string): Promise<void> {
  if (!pushProvider() || (await reachableByPush([userId])).length === 0) return;
  await inTransaction((tx) => tx.enqueue(pushJob, { items: [{ about }] }, { id }));
}

/**
 * Sends them. What was taken for some devices only is asked for again for the others, so that nobody is told twice of what
 * he has seen; when nothing at all was taken, this job is to run again.
 * @throws Error then
 */
export async function pushItems({ items }: { items: readonly PushItem[] }): Promise<void> {
  const outcomes = await Promise.all(items.map((item) => pushItem(item)));
  const again = outcomes.flatMap(({ again }) => again ?? []);
  if (again.length === 0) return;
  if (outcomes.every(({ settled }) => !settled)) throw new Error("no push was taken");
  await inTransaction((tx) => tx.enqueue(pushJob, { items: again }, { afterSeconds: 1 }));
}

/** `settled`: something of it needs nothing more. */
async function pushItem({ about, device_ids }: PushItem): Promise<{ settled: boolean; again?: PushItem }> {
  const push = await contentOf(about);
  if (!push) return { settled: true };
  const { settled, failed } = await sendPush(push.userId, push.content, device_ids);
  if (failed.length === 0) return { settled: true };
  return { settled: settled > 0, again: { about, device_ids: failed } };
}
