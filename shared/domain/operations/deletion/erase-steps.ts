import { eraseDeadLetters } from "#shared/db/outbox-failures.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { eraseMedia } from "#shared/domain/base/media/remove-media.ts";
import { eraseReactions } from "#shared/domain/base/messages/reactions.ts";
import { eraseCatalogue } from "#shared/domain/catalogue/customers/erase-catalogue.ts";
import { eraseWebhooks } from "#shared/domain/catalogue/webhooks/webhooks.ts";
import { eraseCodes } from "#shared/domain/identity/accounts/erase-account.ts";
import { eraseApiKeys } from "#shared/domain/identity/api-keys/erase-api-keys.ts";
import { eraseKyc } from "#shared/domain/identity/kyc/decide-kyc.ts";
import { eraseMessages } from "#shared/domain/identity/mail/outbox.ts";
import { erasePresence } from "#shared/domain/identity/presence/erase-presence.ts";
import { eraseRelations } from "#shared/domain/identity/relations/erase-relations.ts";
import { eraseAppeals } from "#shared/domain/identity/sanctions/appeals.ts";
import { eraseSessions } from "#shared/domain/identity/sessions/erase-sessions.ts";
import { eraseVoiceEvidence } from "#shared/domain/live/evidence/store-evidence.ts";
import { eraseRooms } from "#shared/domain/live/rooms/erase-rooms.ts";
import { eraseSittings } from "#shared/domain/live/rooms/seat-sessions.ts";
import { eraseVoice } from "#shared/domain/live/voice/erase-voice.ts";
import { eraseAgencies } from "#shared/domain/money/agencies/erase-agencies.ts";
import { erasePayouts } from "#shared/domain/money/payouts/erase-payouts.ts";
import { eraseBelongings } from "#shared/domain/money/store/erase-belongings.ts";
import { eraseExports } from "#shared/domain/operations/exports/request-export.ts";
import { eraseReports } from "#shared/domain/operations/reports/erase-reports.ts";
import { eraseHeld } from "#shared/domain/operations/review-queue/decide-review.ts";
import { eraseTickets } from "#shared/domain/operations/tickets/erase-tickets.ts";
import { eraseDirectMessages } from "#shared/domain/social/conversations/erase-messages.ts";
import { eraseGroups } from "#shared/domain/social/groups/erase-groups.ts";
import { eraseNotifications } from "#shared/domain/social/notifications/erase-notifications.ts";
import { erasePosts } from "#shared/domain/social/posts/erase-posts.ts";
import { eraseRemovals } from "#shared/domain/social/removals/removals.ts";
import { extended } from "#shared/kernel/extended.ts";

/**
 * Erases some of what a feature stores of a person, and returns how many rows: 0 when nothing is left. Each call is its
 * own transaction, short enough for the database's timeouts, so a step changes a bounded number of rows and does not
 * find them again.
 */
export type EraseStep = (tx: Tx, userId: string) => Promise<number>;

/**
 * What is erased after the account itself, in this order. A feature that stores anything that a user typed, or that
 * identifies them, adds its step. Ledger and prepaid balances, gifts, payments, purchases, scores and games keep the
 * bare id. Stored answers of idempotent calls need no step: they last a day, and the user's last call was 14 days ago.
 */
export const eraseSteps: readonly EraseStep[] = [
  eraseSessions,
  eraseAppeals,
  eraseRemovals,
  eraseHeld,
  eraseExports,
  eraseApiKeys,
  eraseWebhooks,
  eraseCodes,
  eraseMessages,
  erasePresence,
  eraseRelations,
  eraseRooms,
  eraseVoice,
  eraseSittings,
  eraseVoiceEvidence,
  eraseDirectMessages,
  eraseGroups,
  eraseBelongings,
  eraseAgencies,
  erasePayouts,
  eraseKyc,
  erasePosts,
  eraseReports,
  eraseTickets,
  eraseCatalogue,
  eraseReactions,
  eraseNotifications,
  eraseMedia,
  eraseDeadLetters,
  ...Object.values(extended<Record<string, EraseStep>>("erasures", {})),
];
