import { eraseDeadLetters } from "#shared/db/outbox-failures.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { eraseCodes } from "#shared/domain/accounts/erase-account.ts";
import { eraseApiKeys } from "#shared/domain/api-keys/erase-api-keys.ts";
import { eraseCatalogue } from "#shared/domain/catalogue/erase-catalogue.ts";
import { eraseDirectMessages } from "#shared/domain/conversations/erase-messages.ts";
import { eraseMessages } from "#shared/domain/mail/outbox.ts";
import { eraseNotifications } from "#shared/domain/notifications/erase-notifications.ts";
import { erasePosts } from "#shared/domain/posts/erase-posts.ts";
import { erasePresence } from "#shared/domain/presence/erase-presence.ts";
import { eraseRelations } from "#shared/domain/relations/erase-relations.ts";
import { eraseReports } from "#shared/domain/reports/erase-reports.ts";
import { eraseRooms } from "#shared/domain/rooms/erase-rooms.ts";
import { eraseSessions } from "#shared/domain/sessions/erase-sessions.ts";
import { eraseBelongings } from "#shared/domain/store/erase-belongings.ts";
import { eraseTickets } from "#shared/domain/tickets/erase-tickets.ts";
import { eraseVoice } from "#shared/domain/voice/erase-voice.ts";
import { eraseWebhooks } from "#shared/domain/webhooks/webhooks.ts";

/**
 * Erases some of what a feature stores of a person, and returns how many rows: 0 when nothing is left. Each call is its
 * own transaction, short enough for the database's timeouts, so a step changes a bounded number of rows and does not
 * find them again.
 */
export type EraseStep = (tx: Tx, userId: string) => Promise<number>;

/**
 * What is erased after the account itself, in this order. A feature that stores anything that a user typed, or that
 * identifies them, adds its step. Ledger and prepaid balances, gifts, payments, purchases, scores and games keep the bare
 * id. Stored answers of idempotent calls need no step: they last a day, and the user's last call was 14 days ago.
 */
export const eraseSteps: readonly EraseStep[] = [
  eraseSessions,
  eraseApiKeys,
  eraseWebhooks,
  eraseCodes,
  eraseMessages,
  erasePresence,
  eraseRelations,
  eraseRooms,
  eraseVoice,
  eraseDirectMessages,
  eraseBelongings,
  erasePosts,
  eraseReports,
  eraseTickets,
  eraseCatalogue,
  eraseNotifications,
  eraseDeadLetters,
];
