import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { TicketConversation } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { now } from "#shared/db/model.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { sendMail } from "#shared/domain/identity/mail/send.ts";
import { notify } from "#shared/domain/social/notifications/notify.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { TicketAnswers, TicketModel } from "./ticket.model.ts";
import { getTicket } from "./tickets.queries.ts";

/** Mails an answer to the address of its ticket. The job holds neither: both are read when it is sent. */
export const ticketMailJob = defineJob<{ answer_id: string }>("mail.ticket", {
  retries: 12,
  retryMaxSeconds: 900,
  timeoutSeconds: 60,
});

export interface TicketAnswer {
  readonly message: string;
  /** Whether this answer closes the ticket. */
  readonly close: boolean;
}

/**
 * Answers a ticket: by mail to its address, and by a notification if it belongs to an account.
 * @throws NOT_FOUND, CONFLICT when the ticket is closed, IDEMPOTENCY_CONFLICT
 */
export function respondToTicket(
  caller: AdminPrincipal,
  ticketId: string,
  { message, close }: TicketAnswer,
  idempotency?: IdempotentCall,
): Promise<TicketConversation> {
  return inTransaction(async (tx) => {
    const ticket = await TicketModel.lock(tx, { id: ticketId }, ["status", "user_id"]);
    if (!ticket) throw new DomainError("NOT_FOUND");
    if (ticket.status === "closed") throw new DomainError("CONFLICT", "This ticket is closed.");

    const [id, status] = [newId(), close ? "closed" : "answered"] as const;
    await TicketAnswers.insert(tx, { id, ticket_id: ticketId, admin_id: caller.adminId, message });
    await TicketModel.change(tx, { id: ticketId }, { status, updated_at: now });
    await tx.audit(caller, {
      action: "ticket.respond",
      target: { type: "ticket", id: ticketId },
      before: { status: ticket.status },
      after: { status, answer_id: id },
    });

    await tx.enqueue(ticketMailJob, { answer_id: id });
    if (ticket.user_id) {
      const key = `ticket_answered:${id}`;
      const event = { type: "ticket_answered", setting: null, actorId: null, data: { ticket_id: ticketId } } as const;
      await notify(tx, [{ ...event, receiverId: ticket.user_id, eventKey: key, groupKey: key }]);
    }
    return getTicket(ticketId);
  }, idempotency);
}

/**
 * Mails an answer; handles `ticketMailJob`. Does nothing once the ticket is erased.
 * @throws Error when the mail server does not accept it
 */
export async function mailTicketAnswer(answerId: string): Promise<void> {
  const found = await queryOne<{ user_id: string | null; email: string; subject: string; message: string }>(
    `SELECT t.user_id, t.email, t.subject, a.message
     FROM ticket_answers a JOIN support_tickets t ON t.id = a.ticket_id WHERE a.id = $1 AND t.email <> ''`,
    [answerId],
  );
  if (!found) return;
  const { user_id: userId, email: address, subject, message } = found;
  await sendMail({ userId, address }, "ticket-answered", { ticket_subject: subject, message });
}
