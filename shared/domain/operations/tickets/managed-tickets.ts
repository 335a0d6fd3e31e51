import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, nullable, oneOf } from "#shared/contracts/fields.ts";
import { ticketLimits, ticketStatuses } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { TicketModel } from "./ticket.model.ts";

/** The tickets as administrators list them. Their messages are read one ticket at a time. */
export const managedTickets: ManagedResource = {
  resource: "tickets",
  name: "ticket",
  one: "a ticket",
  many: "tickets",
  model: TicketModel,
  fields: {},
  defaults: {},
  shown: {
    user_id: nullable(id(exampleIds.ada)).description("Null: opened without a login."),
    // Empty once the account is erased.
    email: Joi.string().allow("").example("ada@example.com"),
    subject: line(1, ticketLimits.subject, "I can't log in").allow(""),
    status: oneOf(...ticketStatuses),
  },
  search: ["subject", "email"],
  filters: { status: oneOf(...ticketStatuses), user_id: id(exampleIds.ada) },
  hasPeriod: true,
  sorts: ["created_at", "updated_at"],
  exampleId: exampleIds.ticket,
};
