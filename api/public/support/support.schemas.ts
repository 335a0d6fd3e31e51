import Joi from "joi";
import { line, object, text } from "#shared/contracts/fields.ts";
import { ticketLimits } from "#shared/contracts/views.ts";

export const ticketBody = object({
  subject: line(1, ticketLimits.subject, "I cannot log in"),
  message: text(1, ticketLimits.message, "The code never arrives."),
  email: Joi.string()
    .lowercase()
    .email({ tlds: false, allowUnicode: false })
    .max(254)
    .description("Where the answer goes. Kept in lower case.")
    .example("ada@example.com"),
});
