import type { Actors } from "#shared/contracts/actors.ts";
import { jobs } from "#shared/db/jobs.ts";
import { accountMailJob, sendAccountMail } from "#shared/domain/accounts/account-mail.ts";
import { broadcastNowJob, sendDueBroadcasts } from "#shared/domain/broadcasts/send-broadcasts.ts";
import { fulfilJob, fulfilOrder } from "#shared/domain/catalogue/fulfilment/fulfil-order.ts";
import { erasureJob } from "#shared/domain/deletion/deletion-jobs.ts";
import { eraseUser } from "#shared/domain/deletion/erase-user.ts";
import { mailNotification, notificationMailJob } from "#shared/domain/notifications/mail-notifications.ts";
import { followersJob, notifyAllFollowers } from "#shared/domain/notifications/notify-followers.ts";
import { pushItems, pushJob } from "#shared/domain/notifications/push-notifications.ts";
import { reconcileJob, reconcileOrder } from "#shared/domain/payments/reconcile-order.ts";
import { expireStore, expireStoreJob } from "#shared/domain/store/expire-store.ts";
import { mailTicketAnswer, ticketMailJob } from "#shared/domain/tickets/respond-to-ticket.ts";
import { deleteMediaRoom } from "#shared/domain/voice/media-server.ts";
import { closeMediaRoom } from "#shared/domain/voice/voice-sync.ts";
import { startVoiceWorker } from "#shared/domain/voice/voice-worker.ts";
import { sendWebhook, webhookJob } from "#shared/domain/webhooks/send-webhook.ts";
import { timetable } from "./timetable.ts";

/** What is done by the clock, to the minute, may begin so much later: each worker that polls costs a query. */
const timetablePollSeconds = 10;

/** What the workers need from outside the domain; `shared/main/service.ts` gives it. */
export interface WorkerDeps {
  readonly actors: Actors;
}

/**
 * Starts the work of the role `jobs`. Call it after `jobs.start({ work: true })`. Returns a function that ends the work
 * which is not pg-boss's own; `jobs.stop()` ends the rest.
 */
export async function startWorkers({ actors }: WorkerDeps): Promise<() => Promise<void>> {
  await jobs.workOn(broadcastNowJob, () => sendDueBroadcasts());
  await jobs.workOn(accountMailJob, ({ user_id, about }) => sendAccountMail(user_id, about));
  await jobs.workOn(ticketMailJob, ({ answer_id }) => mailTicketAnswer(answer_id));
  await jobs.workOn(closeMediaRoom, ({ room_id }) => deleteMediaRoom(room_id));
  await jobs.workOn(reconcileJob, ({ order_id }) => reconcileOrder(order_id));
  await jobs.workOn(fulfilJob, ({ order_id }) => fulfilOrder(order_id));
  await jobs.workOn(webhookJob, ({ delivery_id }) => sendWebhook(delivery_id));
  await jobs.workOn(expireStoreJob, expireStore);
  await jobs.workOn(followersJob, notifyAllFollowers);
  await jobs.workOn(pushJob, pushItems);
  await jobs.workOn(notificationMailJob, ({ about }) => mailNotification(about));
  await jobs.workOn(erasureJob, ({ user_id }) => eraseUser(user_id, actors));
  for (const { job, run } of timetable)
    await jobs.workOn(job, () => run(actors), { pollSeconds: timetablePollSeconds });
  await jobs.setTimetable(timetable.map(({ job, cron }) => [job, cron] as const));
  return startVoiceWorker(actors);
}
