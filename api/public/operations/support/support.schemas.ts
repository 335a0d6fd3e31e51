import Joi from "joi";
import { line, listOf, object, optional, rareId, text } from "#shared/contracts/fields.ts";
import { ticketLimits } from "#shared/contracts/views.ts";

export const createTicketBody = object({
  subject: line(1, ticketLimits.subject, "I can't log in"),
  message: text(1, ticketLimits.message, "The verification code never arrives."),
  email: Joi.string()
    .lowercase()
    .email({ tlds: false, allowUnicode: false })
    .max(254)
    .description("Where the reply goes. Stored in lower case.")
    .example("ada@example.com"),
  media_ids: optional(
    listOf(rareId()).max(5).unique().description("Uploads of yours with the purpose `ticket`. Requires a login."),
  ),
}).meta({ name: "CreateTicketBody" });
