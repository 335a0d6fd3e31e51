import { ticket } from "#shared/contracts/views.ts";
import { openTicket } from "#shared/domain/operations/tickets/open-ticket.ts";
import { type Route, route } from "../../../http/route.ts";
import { createTicketBody } from "./support.schemas.ts";

export const supportRoutes = (): Route[] => [
  route({
    id: "createTicket",
    method: "post",
    path: "/support/tickets",
    tag: "Support",
    blocks: "none",
    summary: "Contact support",
    description:
      "Creates a support ticket; the reply goes to `email`. Works without an account. If you are logged in, send your token so that support knows which account is yours.",
    auth: "anyone",
    rateLimit: { points: 5, seconds: 3600, by: "ip" },
    body: createTicketBody,
    status: 201,
    response: ticket,
    errors: ["NOT_FOUND", "CONFLICT"],
    handler: ({ caller, body }) => openTicket(caller, body),
  }),
];
