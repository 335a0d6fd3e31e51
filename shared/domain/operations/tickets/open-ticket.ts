import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Ticket } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { type Author, authorOf } from "#shared/domain/base/filter/author.ts";
import { judgeContent } from "#shared/domain/base/filter/check-content.ts";
import { reviewed } from "#shared/domain/base/filter/held-content.ts";
import { takeMedia } from "#shared/domain/base/media/take-media.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { TicketModel } from "./ticket.model.ts";

export interface TicketInput {
  readonly subject: string;
  readonly message: string;
  /** Where support replies. Nothing is sent there automatically, because it isn't verified. */
  readonly email: string;
  /** Uploads of the caller with the purpose `ticket`, which support sees. */
  readonly media_ids?: readonly string[];
}

/**
 * Opens a support ticket. Without a login `caller` is null, and the ticket belongs to no account.
 * @throws VALIDATION_ERROR for attachments without a login; NOT_FOUND, CONFLICT for those that can't be used
 */
export async function openTicket(
  caller: UserPrincipal | null,
  { media_ids = [], ...input }: TicketInput,
): Promise<Ticket> {
  if (media_ids.length > 0 && !caller)
    throw invalidFields([{ field: "media_ids", text: "{{field}} requires a login" }]);
  const media = caller && media_ids.length > 0 ? await takeMedia(caller.userId, "ticket", media_ids) : null;
  const ticket = { id: newId(), user_id: caller?.userId ?? null, ...input, media };
  const { status, created_at } = await inTransaction(async (tx) => {
    if (caller) await reviewedTicket(ticket, await authorOf(caller.userId))?.(tx, ticket.id);
    await tx.publish("ticket.opened", { ticket_id: ticket.id, user_id: ticket.user_id });
    return TicketModel.insert(tx, ticket);
  });
  return { id: ticket.id, ...input, status, created_at };
}

/** Rules refuse nothing here, but may ask for a review, such as of threats. It is always about an account. */
function reviewedTicket({ id, subject, message }: TicketInput & { id: string }, author: Author) {
  const text = `${subject}\n${message}`;
  const { alert } = judgeContent("ticket", text, author);
  return reviewed({ place: "ticket", userId: author.userId!, targetId: id, text }, alert);
}
