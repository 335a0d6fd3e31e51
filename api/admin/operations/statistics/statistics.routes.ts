import { listOf, pageOf } from "#shared/contracts/fields.ts";
import { chartPoint, dashboard, textCountry, textDay } from "#shared/contracts/views.ts";
import { listTextDays, sumTextCountries } from "#shared/domain/identity/sign-in/text-countries.ts";
import { getChart, getDashboard } from "#shared/domain/operations/statistics/statistics.queries.ts";
import { adminRead } from "../../../http/admin-route.ts";
import type { Route } from "../../../http/route.ts";
import * as schemas from "./statistics.schemas.ts";

/** The figures of the service. */
export const statisticsRoutes = (): Route[] => [
  adminRead({
    tag: "Statistics",
    id: "getDashboard",
    method: "get",
    path: "/dashboard",
    summary: "Get the dashboard",
    description: "Returns totals, today's figures, and current figures.",
    permission: "dashboard.read",
    query: schemas.dashboardQuery,
    response: dashboard,
    handler: ({ query }) => getDashboard(query.time_zone),
  }),
  adminRead({
    tag: "Statistics",
    id: "getChart",
    method: "get",
    path: "/charts",
    summary: "Get a chart",
    description:
      "Returns one point for each day, without gaps. What was counted remains, even if it is deleted later. It is counted every 15 minutes; what happened since then is counted live.",
    permission: "charts.read",
    query: schemas.chartQuery,
    response: listOf(chartPoint),
    handler: ({ query }) => getChart(query),
  }),
  adminRead({
    tag: "Statistics",
    id: "listTextDays",
    method: "get",
    path: "/text-messages",
    summary: "List text messages",
    description: "Login codes by text message, by day (UTC) and country: how many were sent, and how many were used.",
    extension: true,
    permission: "charts.read",
    query: schemas.textDaysQuery,
    response: pageOf(textDay),
    handler: ({ query: { country, ...page } }) => listTextDays(country, page),
  }),
  adminRead({
    tag: "Statistics",
    id: "sumTextCountries",
    method: "get",
    path: "/text-messages/countries",
    summary: "Sum text messages by country",
    description: "Login codes by text message of the last days, the most sent first.",
    extension: true,
    permission: "charts.read",
    query: schemas.textCountriesQuery,
    response: listOf(textCountry),
    handler: ({ query }) => sumTextCountries(query.days),
  }),
];
