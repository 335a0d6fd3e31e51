import type { Actors } from "#shared/contracts/actors.ts";
import { jobs } from "#shared/db/jobs.ts";
import { judgeTextJob } from "#shared/domain/base/filter/held-content.ts";
import { ruleSanctionJob } from "#shared/domain/base/filter/punish.ts";
import { processJob, processMedia } from "#shared/domain/base/media/process-media.ts";
import { removeObjects, removeObjectsJob } from "#shared/domain/base/media/remove-media.ts";
import { remindCustomer, reminderJob } from "#shared/domain/catalogue/orders/credit.ts";
import { fulfilJob, fulfilOrder } from "#shared/domain/catalogue/orders/fulfilment/fulfil-order.ts";
import { sendWebhook, webhookJob } from "#shared/domain/catalogue/webhooks/send-webhook.ts";
import { accountMailJob, sendAccountMail } from "#shared/domain/identity/accounts/account-mail.ts";
import { imposeByRule } from "#shared/domain/identity/sanctions/impose-sanction.ts";
import { keptOutMailJob } from "#shared/domain/identity/sanctions/keep-out.ts";
import { loginCodeJob, sendLoginCode } from "#shared/domain/identity/sign-in/phone-code.ts";
import {
  exchangeCode,
  exchangeCodeJob,
  revokeToken,
  revokeTokenJob,
} from "#shared/domain/identity/sign-in/provider-tokens.ts";
import { deleteMediaRoom } from "#shared/domain/live/voice/media-server.ts";
import { closeMediaRoom } from "#shared/domain/live/voice/voice-sync.ts";
import { startVoiceWorker } from "#shared/domain/live/voice/voice-worker.ts";
import { reconcileJob, reconcileOrder } from "#shared/domain/money/payments/reconcile-order.ts";
import { expireStore, expireStoreJob } from "#shared/domain/money/store/expire-store.ts";
import { consumptionJob, sendConsumption } from "#shared/domain/money/stores/apple/send-consumption.ts";
import { acknowledgeJob, acknowledgePurchase } from "#shared/domain/money/stores/google/acknowledge.ts";
import { endRenewal, endRenewalJob } from "#shared/domain/money/subscriptions/cancel-subscription.ts";
import { mailKeptOut } from "#shared/domain/operations/appeals/mail-kept-out.ts";
import { broadcastNowJob, sendDueBroadcasts } from "#shared/domain/operations/broadcasts/send-broadcasts.ts";
import { erasureJob } from "#shared/domain/operations/deletion/deletion-jobs.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { startEventSender } from "#shared/domain/operations/events/send-events.ts";
import { exportMailJob, mailExport } from "#shared/domain/operations/exports/export-mail.ts";
import { makeExport } from "#shared/domain/operations/exports/make-export.ts";
import { exportJob } from "#shared/domain/operations/exports/request-export.ts";
import { extensionEventsJob, extensionJobs, handleEvents } from "#shared/domain/operations/extensions/handle-events.ts";
import { judgeContentOf, releaseContent, releaseJob } from "#shared/domain/operations/review-queue/release-content.ts";
import { checkJob, checkRun } from "#shared/domain/operations/runs/check-run.ts";
import { computeJob, computeRun } from "#shared/domain/operations/runs/compute-run.ts";
import { payJob, payRun } from "#shared/domain/operations/runs/pay-run.ts";
import { startSinks } from "#shared/domain/operations/sinks/run-sinks.ts";
import { mailTicketAnswer, ticketMailJob } from "#shared/domain/operations/tickets/respond-to-ticket.ts";
import { mailNotification, notificationMailJob } from "#shared/domain/social/notifications/mail-notifications.ts";
import { followersJob, notifyAllFollowers } from "#shared/domain/social/notifications/notify-followers.ts";
import { pushItems, pushJob } from "#shared/domain/social/notifications/push-notifications.ts";
import { timetable } from "./timetable.ts";

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
  await jobs.workOn(loginCodeJob, ({ number, language }) => sendLoginCode(number, language));
  await jobs.workOn(exchangeCodeJob, exchangeCode);
  await jobs.workOn(revokeTokenJob, revokeToken);
  await jobs.workOn(ticketMailJob, ({ answer_id }) => mailTicketAnswer(answer_id));
  await jobs.workOn(closeMediaRoom, ({ room_id }) => deleteMediaRoom(room_id));
  await jobs.workOn(consumptionJob, ({ transaction_id }) => sendConsumption(transaction_id));
  await jobs.workOn(reconcileJob, ({ order_id }) => reconcileOrder(order_id));
  await jobs.workOn(acknowledgeJob, ({ transaction_id }) => acknowledgePurchase(transaction_id));
  await jobs.workOn(endRenewalJob, ({ subscription_id }) => endRenewal(subscription_id));
  await jobs.workOn(fulfilJob, ({ order_id }) => fulfilOrder(order_id));
  await jobs.workOn(reminderJob, ({ user_id }) => remindCustomer(user_id));
  await jobs.workOn(webhookJob, ({ delivery_id }) => sendWebhook(delivery_id));
  await jobs.workOn(computeJob, computeRun);
  await jobs.workOn(checkJob, checkRun);
  await jobs.workOn(payJob, (data) => payRun(data));
  await jobs.workOn(expireStoreJob, expireStore);
  await jobs.workOn(followersJob, notifyAllFollowers);
  await jobs.workOn(pushJob, pushItems);
  await jobs.workOn(notificationMailJob, ({ about }) => mailNotification(about));
  await jobs.workOn(processJob, ({ media_id }) => processMedia(media_id));
  await jobs.workOn(removeObjectsJob, ({ media_ids }) => removeObjects(media_ids));
  await jobs.workOn(ruleSanctionJob, imposeByRule);
  await jobs.workOn(judgeTextJob, ({ id }) => judgeContentOf(id));
  await jobs.workOn(releaseJob, () => releaseContent(actors));
  await jobs.workOn(keptOutMailJob, ({ sanction_id, about }) => mailKeptOut(sanction_id, about));
  await jobs.workOn(exportJob, ({ export_id }) => makeExport(export_id));
  await jobs.workOn(exportMailJob, ({ export_id }) => mailExport(export_id));
  await jobs.workOn(erasureJob, ({ user_id }) => eraseUser(user_id, actors));
  await jobs.workOn(extensionEventsJob, handleEvents);
  for (const { kind, run } of extensionJobs()) await jobs.workOn(kind, run as (data: object) => Promise<void>);
  for (const { job, run } of timetable) await jobs.workOn(job, () => run(actors));
  const timed = extensionJobs().flatMap(({ kind, cron }) => (cron ? [[kind, cron] as const] : []));
  await jobs.setTimetable([...timetable.map(({ job, cron }) => [job, cron] as const), ...timed]);
  const endings = [startVoiceWorker(actors), startEventSender(), await startSinks()];
  return async () => void (await Promise.all(endings.map((end) => end())));
}
