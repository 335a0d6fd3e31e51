import { object, pageOf, pageQuery, timeZone } from "#shared/contracts/fields.ts";
import { earningsBalance, earningsEntry, earningsExchange, hostProgress, runLine } from "#shared/contracts/views.ts";
import { getEarnings, listEarnings } from "#shared/domain/money/earnings/earnings.queries.ts";
import { exchangeEarnings } from "#shared/domain/money/earnings/exchange-earnings.ts";
import { getProgress } from "#shared/domain/operations/runs/progress.queries.ts";
import { listOwnRunLines } from "#shared/domain/operations/runs/run-lines.queries.ts";
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
    id: "getProgress",
    method: "get",
    path: "/earnings/progress",
    summary: "Get your progress",
    description:
      "What you have earned by gifts and how long you have sat, today and in this period: by the targets of your agency while you have a contract, or else in this month of `time_zone`. Times on seats count once they have ended.",
    extension: true,
    query: object({ time_zone: timeZone("days") }),
    rateLimit: { points: 60, seconds: 60, by: "user" },
    response: hostProgress,
    handler: ({ caller, query }) => getProgress(caller.userId, query.time_zone),
  }),
  route({
    id: "listOwnRunLines",
    method: "get",
    path: "/earnings/runs",
    summary: "List your run lines",
    description:
      "What approved runs pay you as a host, the newest period first: what counted, and what it was computed from.",
    extension: true,
    query: object(pageQuery),
    response: pageOf(runLine),
    handler: ({ caller, query }) => listOwnRunLines(caller.userId, query),
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
