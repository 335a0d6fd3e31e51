import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, id, object, text, withDefault } from "#shared/contracts/fields.ts";
import { ticketConversation, ticketLimits } from "#shared/contracts/views.ts";
import { managedTickets } from "#shared/domain/operations/tickets/managed-tickets.ts";
import { respondToTicket } from "#shared/domain/operations/tickets/respond-to-ticket.ts";
import { getTicket } from "#shared/domain/operations/tickets/tickets.queries.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { managedList } from "../../managed-routes.ts";

const tag = "Support";
const params = object({ id: id(exampleIds.ticket) });

export const ticketsRoutes = (): AdminRoute[] => [
  managedList(managedTickets, tag),
  adminRead({
    tag,
    id: "getTicket",
    method: "get",
    path: "/tickets/:id",
    summary: "Get a ticket",
    description: "Returns the ticket with its conversation, the oldest message first.",
    extension: true,
    permission: "tickets.read",
    params,
    response: ticketConversation,
    handler: (call) => getTicket(call.params.id),
  }),
  adminWrite({
    tag,
    id: "respondToTicket",
    method: "post",
    path: "/tickets/:id/respond",
    summary: "Answer a ticket",
    description:
      "Sends the answer to the ticket's email address, and notifies the user if the ticket belongs to an account. The ticket becomes `answered`, or `closed` with `close`; a closed ticket can't be answered.",
    permission: "tickets.write",
    idempotent: true,
    params,
    body: object({
      message: text(1, ticketLimits.message, "Please update the app and try again."),
      close: withDefault(flag(false), false),
    }).meta({ name: "RespondToTicketBody" }),
    response: ticketConversation,
    errors: ["CONFLICT"],
    audit: { action: "ticket.respond", target: (call) => ({ type: "ticket", id: call.params.id }) },
    handler: ({ caller, params: { id }, body, idempotency }) => respondToTicket(caller, id, body, idempotency),
  }),
];
