import { countChanges, deleteBatch } from "#shared/db/batches.ts";
import { query } from "#shared/db/query.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";

/**
 * Messages that a carrier would have sent: kept for developers, never in production. (Not the outbox of
 * domain events, which is in `db/`.)
 */
export interface KeptMessage {
  id: string;
  channel: "mail" | "sms";
  recipient: string;
  /** Null for a text message. */
  subject: string | null;
  text: string;
  /** Null for a text message. */
  html: string | null;
  created_at: string;
}

/** The maximum number of kept messages; `pruneMessages` limits their age. */
const keptMax = 500;

/** Keeps a message without a carrier, and deletes the oldest. */
export async function keepMessage(
  userId: string | null,
  message: Omit<KeptMessage, "id" | "created_at">,
): Promise<void> {
  await alone(
    `INSERT INTO mail_outbox (id, user_id, channel, recipient, subject, text_body, html_body)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [newId(), userId, message.channel, message.recipient, message.subject, message.text, message.html],
  );
  await alone("DELETE FROM mail_outbox WHERE id <= (SELECT id FROM mail_outbox ORDER BY id DESC OFFSET $1 LIMIT 1)", [
    keptMax,
  ]);
}

/** Returns the newest messages first, at most 100; optionally of one recipient. */
export function listMessages(recipient?: string): Promise<KeptMessage[]> {
  return query<KeptMessage>(
    `SELECT id, channel, recipient, subject, text_body AS text, html_body AS html, created_at FROM mail_outbox
     WHERE $1::text IS NULL OR recipient = $1 ORDER BY id DESC LIMIT 100`,
    [recipient ?? null],
  );
}

/** Deletes messages older than a day, some at a time. Returns how many. Called by a job. */
export const pruneMessages = (most = 5000): Promise<number> =>
  deleteBatch({ from: "mail_outbox", key: "id", where: "created_at < now() - interval '24 hours'" }, most);

/** Step: deletes the messages to a user. Returns how many. */
export const eraseMessages = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, "DELETE FROM mail_outbox WHERE user_id = $1 RETURNING 1");
