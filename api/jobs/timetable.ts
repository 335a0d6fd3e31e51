import type { Actors } from "#shared/contracts/actors.ts";
import type { JobKind } from "#shared/db/jobs.ts";
import { makePartitions, makePartitionsJob } from "#shared/db/partitions.ts";
import { collectDue, collectDueJob } from "#shared/domain/catalogue/orders/credit.ts";
import { fulfilDueJob, fulfilDueOrders } from "#shared/domain/catalogue/orders/fulfilment/fulfil-order.ts";
import { sendDueWebhooks, webhooksDueJob } from "#shared/domain/catalogue/webhooks/send-webhook.ts";
import { pruneRoomMessages, pruneRoomMessagesJob } from "#shared/domain/live/rooms/prune-messages.ts";
import { payShareDebts, shareDebtsJob } from "#shared/domain/money/earnings/pay-share-debts.ts";
import { refundsJob, sendDueRefunds } from "#shared/domain/money/payments/request-refund.ts";
import { payoutsJob, sendDuePayouts } from "#shared/domain/money/payouts/send-payouts.ts";
import { reconcileDayJob, reconcileProviders } from "#shared/domain/money/reconciliation/reconcile-providers.ts";
import { pollVoided, voidedJob } from "#shared/domain/money/stores/google/look-at-voided.ts";
import { signAuditHead, signAuditHeadJob } from "#shared/domain/operations/admins/audit-chain.ts";
import { signLedgerHead, signLedgerHeadJob } from "#shared/domain/operations/admins/ledger-chain.ts";
import { broadcastsJob, sendDueBroadcasts } from "#shared/domain/operations/broadcasts/send-broadcasts.ts";
import { overdueJob } from "#shared/domain/operations/deletion/deletion-jobs.ts";
import { enqueueOverdue } from "#shared/domain/operations/deletion/erase-user.ts";
import { releaseDueJob, tendHeld } from "#shared/domain/operations/review-queue/release-content.ts";
import { countStatistics, countStatisticsJob } from "#shared/domain/operations/statistics/count-statistics.ts";
import { pruneDirectMessages, pruneDirectMessagesJob } from "#shared/domain/social/conversations/prune-messages.ts";
import { countMinutes, countMinutesJob } from "#shared/domain/social/leaderboards/count-minutes.ts";
import { pruneAll, prunings } from "./prune.ts";
import { tendGames, tendGamesJob } from "./tend-games.ts";

/** Work at certain times. `cron` is UTC. */
interface TimedWork {
  readonly job: JobKind<object>;
  readonly cron: string;
  readonly run: (actors: Actors) => Promise<void>;
}

/** Everything that is done by the clock, once for the whole service; each is safe to run twice. */
export const timetable: readonly TimedWork[] = [
  { job: countMinutesJob, cron: "* * * * *", run: () => countMinutes() },
  { job: overdueJob, cron: "40 * * * *", run: enqueueOverdue },
  { job: signAuditHeadJob, cron: "0 * * * *", run: () => signAuditHead() },
  { job: signLedgerHeadJob, cron: "0 * * * *", run: () => signLedgerHead() },
  { job: countStatisticsJob, cron: "1,16,31,46 * * * *", run: () => countStatistics() },
  { job: tendGamesJob, cron: "* * * * *", run: tendGames },
  { job: broadcastsJob, cron: "* * * * *", run: () => sendDueBroadcasts() },
  { job: fulfilDueJob, cron: "* * * * *", run: () => fulfilDueOrders() },
  { job: collectDueJob, cron: "20 * * * *", run: () => collectDue() },
  { job: webhooksDueJob, cron: "* * * * *", run: () => sendDueWebhooks() },
  { job: releaseDueJob, cron: "* * * * *", run: tendHeld },
  { job: reconcileDayJob, cron: "30 3 * * *", run: () => reconcileProviders() },
  { job: refundsJob, cron: "* * * * *", run: () => sendDueRefunds() },
  { job: shareDebtsJob, cron: "* * * * *", run: () => payShareDebts() },
  { job: payoutsJob, cron: "* * * * *", run: () => sendDuePayouts() },
  { job: makePartitionsJob, cron: "15 * * * *", run: () => makePartitions() },
  { job: pruneRoomMessagesJob, cron: "20 2 * * *", run: () => pruneRoomMessages() },
  { job: pruneDirectMessagesJob, cron: "40 2 * * *", run: () => pruneDirectMessages() },
  { job: voidedJob, cron: "25 4 * * *", run: () => pollVoided() },
  ...prunings.map(({ job, cron, some }) => ({ job, cron, run: () => pruneAll(job.name, some) })),
];
