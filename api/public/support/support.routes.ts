import { ticket } from "#shared/contracts/views.ts";
import { openTicket } from "#shared/domain/tickets/open-ticket.ts";
import { type Route, route } from "../../http/route.ts";
import { ticketBody } from "./support.schemas.ts";

export const supportRoutes = (): Route[] => [
  route({
    method: "post",
    path: "/support/tickets",
    tag: "Support",
    summary: "Write to support",
    description: "Without an account too: send your token if you have one, so that support knows whose account it is.",
    auth: "anyone",
    rateLimit: { points: 5, seconds: 3600, by: "ip" },
    body: ticketBody,
    status: 201,
    response: ticket,
    handler: ({ caller, body }) => openTicket(caller, body),
  }),
];
