import type { TicketConversation } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { toMediaCard } from "#shared/domain/base/media/media-card.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { TicketModel } from "./ticket.model.ts";

/** Returns a ticket with its conversation, the oldest message first. @throws NOT_FOUND */
export async function getTicket(id: string): Promise<TicketConversation> {
  const ticket = await TicketModel.read({ id });
  if (!ticket) throw new DomainError("NOT_FOUND");
  const answers = await query<TicketConversation["messages"][number]>(
    `SELECT id, 'support' AS "from", admin_id, message, created_at FROM ticket_answers
     WHERE ticket_id = $1 ORDER BY id`,
    [id],
  );
  const { message, media, ...rest } = ticket;
  const first = {
    ...({ id, from: "user", admin_id: null, message, created_at: ticket.created_at } as const),
    ...(media && { media: media.map(toMediaCard) }),
  };
  return { ...rest, messages: [first, ...answers] };
}
