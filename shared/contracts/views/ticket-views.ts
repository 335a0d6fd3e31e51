import Joi from "joi";
import { id, line, oneOf, text, time, view } from "#shared/contracts/fields.ts";

/** Of what a person writes to support. */
export const ticketStatuses = ["open", "answered", "closed"] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

export interface Ticket {
  id: string;
  subject: string;
  message: string;
  email: string;
  status: TicketStatus;
  created_at: string;
}

export const ticketLimits = { subject: 150, message: 5000 } as const;

export const ticket = view<Ticket>({
  id: id(),
  subject: line(1, ticketLimits.subject, "I cannot log in"),
  message: text(1, ticketLimits.message, "The code never arrives."),
  email: Joi.string().example("ada@example.com"),
  status: oneOf(...ticketStatuses),
  created_at: time(),
}).meta({ name: "Ticket" });
