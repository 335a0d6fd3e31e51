import Joi from "joi";
import { input, line, text } from "#shared/contracts/fields.ts";
import { ticketLimits } from "#shared/contracts/views.ts";
import type { TicketInput } from "#shared/domain/tickets/open-ticket.ts";

export const ticketBody = input<TicketInput>({
  subject: line(1, ticketLimits.subject, "I cannot log in").required(),
  message: text(1, ticketLimits.message, "The code never arrives.").required(),
  email: Joi.string()
    .lowercase()
    .email({ tlds: false, allowUnicode: false })
    .max(254)
    .required()
    .description("Where the answer goes. Kept in lower case.")
    .example("ada@example.com"),
});
