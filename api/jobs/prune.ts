import { pruneKeys } from "#shared/db/idempotency.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { pruneDeadLetters } from "#shared/db/outbox-failures.ts";
import { pruneCodes } from "#shared/domain/accounts/prune-codes.ts";
import { endSuspensions } from "#shared/domain/accounts/suspend-user.ts";
import { expireAdjustments } from "#shared/domain/adjustments/adjust-balance.ts";
import { pruneAdminSessions } from "#shared/domain/admins/admin-sessions.ts";
import { pruneTokens } from "#shared/domain/api-keys/api-tokens.ts";
import { forgetShownCodes } from "#shared/domain/catalogue/codes.ts";
import { pruneLobbies } from "#shared/domain/games/lobby-state.ts";
import { pruneLeaderboards } from "#shared/domain/leaderboards/scores.ts";
import { pruneMessages } from "#shared/domain/mail/outbox.ts";
import { pruneNotifications } from "#shared/domain/notifications/prune-notifications.ts";
import { expireOrders } from "#shared/domain/payments/expire-orders.ts";
import { pruneEvents } from "#shared/domain/payments/receive-webhook.ts";
import { pruneFriendRequests } from "#shared/domain/relations/prune-requests.ts";
import { pruneBans } from "#shared/domain/rooms/prune-bans.ts";
import { pruneSessions } from "#shared/domain/sessions/prune-sessions.ts";
import { expireFrames, expireVip } from "#shared/domain/store/expire-store.ts";
import { pruneGrants } from "#shared/domain/voice/voice.queries.ts";
import { pruneDeliveries } from "#shared/domain/webhooks/deliveries.ts";
import { logger } from "#shared/kernel/logger.ts";

/** Timed work that ends or takes away what has expired. One that failed runs again a little later, and at its next time anyhow. */
const prune = (what: string) =>
  defineJob(`prune.${what}`, { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 300, exclusive: true });

/** Each ends or takes away some rows and answers how many; 0 means that none are left. Run twice, the second finds nothing. */
export const prunings = [
  { job: prune("idempotency_keys"), cron: "*/10 * * * *", some: pruneKeys },
  { job: prune("sessions"), cron: "5 * * * *", some: pruneSessions },
  { job: prune("api_tokens"), cron: "20 * * * *", some: pruneTokens },
  { job: prune("admin_sessions"), cron: "10 * * * *", some: pruneAdminSessions },
  { job: prune("bans"), cron: "15 * * * *", some: pruneBans },
  { job: prune("voice_grants"), cron: "25 * * * *", some: pruneGrants },
  { job: prune("payment_events"), cron: "45 * * * *", some: pruneEvents },
  { job: prune("catalogue_codes"), cron: "30 * * * *", some: forgetShownCodes },
  { job: prune("webhook_deliveries"), cron: "50 * * * *", some: pruneDeliveries },
  { job: prune("payment_orders"), cron: "* * * * *", some: expireOrders },
  { job: prune("balance_adjustments"), cron: "* * * * *", some: expireAdjustments },
  { job: prune("suspensions"), cron: "* * * * *", some: endSuspensions },
  { job: prune("vip_periods"), cron: "* * * * *", some: expireVip },
  { job: prune("frame_ownerships"), cron: "* * * * *", some: expireFrames },
  { job: prune("notifications"), cron: "55 * * * *", some: pruneNotifications },
  { job: prune("leaderboards"), cron: "35 * * * *", some: pruneLeaderboards },
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
