import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { type Infer, id, line, object, oneOf, text, time } from "#shared/contracts/fields.ts";

/** Statuses of a support ticket. */
export const ticketStatuses = ["open", "answered", "closed"] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

export const ticketLimits = { subject: 150, message: 5000 } as const;

export const ticket = object({
  id: id(exampleIds.ticket),
  subject: line(1, ticketLimits.subject, "I can't log in"),
  message: text(1, ticketLimits.message, "The verification code never arrives."),
  email: Joi.string().example("ada@example.com"),
  status: oneOf(...ticketStatuses),
  created_at: time(exampleTime(exampleIds.ticket)),
}).meta({ name: "Ticket" });
export type Ticket = Infer<typeof ticket>;
