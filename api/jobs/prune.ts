import { pruneKeys } from "#shared/db/idempotency.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { pruneDeadLetters } from "#shared/db/outbox-failures.ts";
import { pruneMedia } from "#shared/domain/base/media/remove-media.ts";
import { forgetShownCodes } from "#shared/domain/catalogue/codes/codes.ts";
import { pruneDeliveries } from "#shared/domain/catalogue/webhooks/deliveries.ts";
import { pruneCodes } from "#shared/domain/identity/accounts/prune-codes.ts";
import { endSuspensions } from "#shared/domain/identity/accounts/suspend-user.ts";
import { pruneTokens } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { pruneMessages } from "#shared/domain/identity/mail/outbox.ts";
import { pruneFriendRequests } from "#shared/domain/identity/relations/prune-requests.ts";
import { pruneCovered } from "#shared/domain/identity/sanctions/covered.ts";
import { pruneSessions } from "#shared/domain/identity/sessions/prune-sessions.ts";
import { removeOrphans } from "#shared/domain/live/evidence/recorder.ts";
import { pruneVoiceEvidence } from "#shared/domain/live/evidence/store-evidence.ts";
import { pruneLobbies } from "#shared/domain/live/games/lobby-state.ts";
import { pruneBans } from "#shared/domain/live/rooms/prune-bans.ts";
import { pruneSittings } from "#shared/domain/live/rooms/seat-sessions.ts";
import { pruneGrants } from "#shared/domain/live/voice/voice.queries.ts";
import { pruneInvitations } from "#shared/domain/money/agencies/invitations.ts";
import { expireOrders } from "#shared/domain/money/payments/expire-orders.ts";
import { pruneEvents } from "#shared/domain/money/payments/receive-webhook.ts";
import { pruneFindings } from "#shared/domain/money/reconciliation/findings.ts";
import { expireFrames, expireVip } from "#shared/domain/money/store/expire-store.ts";
import { expireAdjustments } from "#shared/domain/operations/adjustments/adjust-balance.ts";
import { pruneAdminSessions } from "#shared/domain/operations/admins/admin-sessions.ts";
import { expireGuests } from "#shared/domain/operations/deletion/expire-guests.ts";
import { pruneLog } from "#shared/domain/operations/events/event-log.ts";
import { pruneExports } from "#shared/domain/operations/exports/request-export.ts";
import { pruneHeld } from "#shared/domain/operations/review-queue/decide-review.ts";
import { pruneLeaderboards } from "#shared/domain/social/leaderboards/scores.ts";
import { pruneNotifications } from "#shared/domain/social/notifications/prune-notifications.ts";
import { pruneRemovals } from "#shared/domain/social/removals/removals.ts";
import { logger } from "#shared/kernel/logger.ts";

/**
 * Timed work that ends or takes away what has expired. One that failed runs again a little later, and at its next time
 * anyhow.
 */
const prune = (what: string) =>
  defineJob(`prune.${what}`, { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 300, exclusive: true });

/**
 * Each ends or takes away some rows and answers how many; 0 means that none are left. Run twice, the second finds
 * nothing.
 */
export const prunings = [
  { job: prune("idempotency_keys"), cron: "*/10 * * * *", some: pruneKeys },
  { job: prune("sessions"), cron: "5 * * * *", some: pruneSessions },
  { job: prune("api_tokens"), cron: "20 * * * *", some: pruneTokens },
  { job: prune("admin_sessions"), cron: "10 * * * *", some: pruneAdminSessions },
  { job: prune("bans"), cron: "15 * * * *", some: pruneBans },
  { job: prune("voice_grants"), cron: "25 * * * *", some: pruneGrants },
  { job: prune("voice_evidence"), cron: "28 * * * *", some: pruneVoiceEvidence },
  { job: prune("voice_orphans"), cron: "58 * * * *", some: removeOrphans },
  { job: prune("payment_events"), cron: "45 * * * *", some: pruneEvents },
  { job: prune("payment_findings"), cron: "50 4 * * *", some: pruneFindings },
  { job: prune("catalogue_codes"), cron: "30 * * * *", some: forgetShownCodes },
  { job: prune("webhook_deliveries"), cron: "50 * * * *", some: pruneDeliveries },
  { job: prune("event_log"), cron: "*/10 * * * *", some: pruneLog },
  { job: prune("seat_sessions"), cron: "35 4 * * *", some: pruneSittings },
  { job: prune("agency_invitations"), cron: "40 4 * * *", some: pruneInvitations },
  { job: prune("payment_orders"), cron: "* * * * *", some: expireOrders },
  { job: prune("balance_adjustments"), cron: "* * * * *", some: expireAdjustments },
  { job: prune("suspensions"), cron: "* * * * *", some: endSuspensions },
  { job: prune("vip_periods"), cron: "* * * * *", some: expireVip },
  { job: prune("frame_ownerships"), cron: "* * * * *", some: expireFrames },
  { job: prune("notifications"), cron: "55 * * * *", some: pruneNotifications },
  { job: prune("leaderboards"), cron: "35 * * * *", some: pruneLeaderboards },
  { job: prune("exports"), cron: "*/10 * * * *", some: pruneExports },
  { job: prune("held_content"), cron: "35 4 * * *", some: pruneHeld },
  { job: prune("removals"), cron: "40 4 * * *", some: pruneRemovals },
  { job: prune("sanction_targets"), cron: "45 4 * * *", some: pruneCovered },
  { job: prune("media"), cron: "25 * * * *", some: pruneMedia },
  { job: prune("guests"), cron: "40 3 * * *", some: expireGuests },
  { job: prune("codes"), cron: "45 * * * *", some: pruneCodes },
  { job: prune("game_lobbies"), cron: "20 * * * *", some: pruneLobbies },
  { job: prune("friend_requests"), cron: "50 3 * * *", some: pruneFriendRequests },
  { job: prune("dead_letters"), cron: "40 4 * * *", some: pruneDeadLetters },
  { job: prune("mail_outbox"), cron: "55 * * * *", some: pruneMessages },
] as const;

/** Takes away everything that has expired, in small transactions. */
export async function pruneAll(name: string, some: () => Promise<number>): Promise<void> {
  let total = 0;
  for (let pruned = await some(); pruned > 0; pruned = await some()) total += pruned;
  if (total > 0) logger.info({ rows: total }, `${name}: rows that had expired are gone`);
}
