import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  type Infer,
  id,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
} from "#shared/contracts/fields.ts";

import { mediaCard } from "./media-views.ts";

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

/** A ticket as administrators see it. Texts are empty once the account is erased. */
export const ticketConversation = object({
  id: id(exampleIds.ticket),
  user_id: nullable(id(exampleIds.ada)).description("Null: opened without a login."),
  email: Joi.string().allow("").example("ada@example.com"),
  subject: text(0, ticketLimits.subject, "I can't log in"),
  status: oneOf(...ticketStatuses).example("answered"),
  created_at: time(exampleTime(exampleIds.ticket)),
  updated_at: time(exampleTime(exampleIds.ticket, 3600)),
  messages: listOf(
    object({
      id: id(exampleIds.ticket),
      from: oneOf("user", "support"),
      admin_id: nullable(id(exampleIds.admin)).description("Who answered; null for the user.").example(null),
      message: text(0, ticketLimits.message, "The verification code never arrives."),
      media: optional(listOf(mediaCard).description("Attachments. Their addresses work for an hour.")),
      created_at: time(exampleTime(exampleIds.ticket)),
    }).meta({ name: "TicketMessage" }),
  ),
}).meta({ name: "TicketConversation" });
export type TicketConversation = Infer<typeof ticketConversation>;
