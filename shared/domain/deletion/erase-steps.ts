import type { Tx } from "#shared/db/transaction.ts";
import { eraseCodes } from "#shared/domain/accounts/erase-account.ts";
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

/**
 * Takes away some of what a feature keeps of a person, and answers how many rows: 0 when nothing is left. Each call is a
 * transaction of its own, short enough for the bounds of the database, so a step changes a bounded number of rows and does
 * not find again what it has done.
 */
export type EraseStep = (tx: Tx, userId: string) => Promise<number>;

/**
 * What is erased after the account itself, in this order. A feature that keeps anything that a person typed, or that says
 * who he was, adds its step, beside its tables. Ledger, gifts, payments, purchases, scores and games keep the bare id. What
 * calls with an `Idempotency-Key` were answered needs no step: it lasts a day, and his last call was 14 days ago.
 */
export const eraseSteps: readonly EraseStep[] = [
  eraseSessions,
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
  eraseNotifications,
];
