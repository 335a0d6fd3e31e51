import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Ticket } from "#shared/contracts/views.ts";
import { newId } from "#shared/kernel/ids.ts";
import { TicketModel } from "./ticket.model.ts";

export interface TicketInput {
  readonly subject: string;
  readonly message: string;
  /** Where support replies. Nothing is sent there automatically, because it isn't verified. */
  readonly email: string;
}

/** Opens a support ticket. Without a login `caller` is null, and the ticket belongs to no account. */
export async function openTicket(caller: UserPrincipal | null, input: TicketInput): Promise<Ticket> {
  const { id, subject, message, email, status, created_at } = await TicketModel.create({
    id: newId(),
    user_id: caller?.userId ?? null,
    ...input,
  });
  return { id, subject, message, email, status, created_at: created_at.toISOString() };
}
