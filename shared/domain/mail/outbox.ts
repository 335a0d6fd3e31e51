import { query } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";

/**
 * What would have been sent, had a provider been named: kept for whoever develops with the service, never in production.
 * (Not the outbox of events, which is in `db/`.)
 */
export interface KeptMessage {
  id: string;
  channel: "mail" | "sms";
  recipient: string;
  /** Null of an SMS. */
  subject: string | null;
  text: string;
  /** Null of an SMS. */
  html: string | null;
  created_at: string;
}

/** Messages that are kept at the most; and how long, see `pruneMessages`. */
const keptMax = 500;

/** Keeps a message that nobody carries, and lets the oldest go. */
export async function keepMessage(userId: string, message: Omit<KeptMessage, "id" | "created_at">): Promise<void> {
  await query(
    `INSERT INTO mail_outbox (id, user_id, channel, recipient, subject, text_body, html_body)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [newId(), userId, message.channel, message.recipient, message.subject, message.text, message.html],
  );
  await query("DELETE FROM mail_outbox WHERE id <= (SELECT id FROM mail_outbox ORDER BY id DESC OFFSET $1 LIMIT 1)", [
    keptMax,
  ]);
}

/** The newest messages first, at most 100; to one recipient when one is named. */
export function listMessages(recipient?: string): Promise<KeptMessage[]> {
  return query<KeptMessage>(
    `SELECT id, channel, recipient, subject, text_body AS text, html_body AS html, created_at FROM mail_outbox
     WHERE $1::text IS NULL OR recipient = $1 ORDER BY id DESC LIMIT 100`,
    [recipient ?? null],
  );
}

/** Forgets messages older than a day, some at a time; a job calls it. Answers how many. */
export async function pruneMessages(most = 5000): Promise<number> {
  const pruned = await query(
    `DELETE FROM mail_outbox WHERE id IN
       (SELECT id FROM mail_outbox WHERE created_at < now() - interval '24 hours' LIMIT $1) RETURNING 1`,
    [most],
  );
  return pruned.length;
}

/** Step: takes away what was kept for somebody. Answers how many messages. */
export async function eraseMessages(tx: Tx, userId: string): Promise<number> {
  return (await tx.query("DELETE FROM mail_outbox WHERE user_id = $1 RETURNING 1", [userId])).length;
}
