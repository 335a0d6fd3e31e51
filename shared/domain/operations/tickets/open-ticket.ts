import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Ticket } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
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
  const ticket = { id: newId(), user_id: caller?.userId ?? null, ...input };
  const { status, created_at } = await inTransaction((tx) => TicketModel.insert(tx, ticket));
  return { id: ticket.id, ...input, status, created_at };
}
