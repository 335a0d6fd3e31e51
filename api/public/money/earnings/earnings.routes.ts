import { pageOf } from "#shared/contracts/fields.ts";
import { earningsBalance, earningsEntry, earningsExchange } from "#shared/contracts/views.ts";
import { getEarnings, listEarnings } from "#shared/domain/money/earnings/earnings.queries.ts";
import { exchangeEarnings } from "#shared/domain/money/earnings/exchange-earnings.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { earningsQuery, exchangeBody } from "./earnings.schemas.ts";

const route = routeOf("Earnings", "user");

export const earningsRoutes = (): Route[] => [
  route({
    id: "getEarnings",
    method: "get",
    path: "/earnings",
    summary: "Get your earnings",
    description:
      "Returns what you have earned by gifts, and what you can exchange of it. Earnings can't be spent. Only gifts of bought coins earn, and only if the split plan of `GET /config/public` says so.",
    response: earningsBalance,
    handler: ({ caller }) => getEarnings(caller.userId),
  }),
  route({
    id: "listEarnings",
    method: "get",
    path: "/earnings/movements",
    summary: "List earnings",
    description:
      "Lists every credit and debit of your earnings, newest first, each with its cause and the balance after it.",
    query: earningsQuery,
    response: pageOf(earningsEntry),
    handler: ({ caller, query }) => listEarnings(caller.userId, query),
  }),
  route({
    id: "exchangeEarnings",
    method: "post",
    path: "/earnings/exchange",
    blocks: "none",
    summary: "Exchange earnings",
    description:
      "Exchanges available earnings to coins at `exchange_rate`, rounded down. The coins count as granted: gifts of them earn nothing.",
    idempotent: true,
    body: exchangeBody,
    response: earningsExchange,
    status: 201,
    errors: ["INSUFFICIENT_BALANCE", "FORBIDDEN"],
    handler: ({ caller, body, idempotency }) => exchangeEarnings(caller, body.amount, idempotency),
  }),
];
