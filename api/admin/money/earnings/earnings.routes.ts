import Joi from "joi";
import { type Infer, object, optional, pageOf, pageQuery, plainTime, withDefault } from "#shared/contracts/fields.ts";
import { earningsLiability, giftCircleEdge, giftGraph } from "#shared/contracts/views.ts";
import { listCircles, listGraphs, periodMax, shownEdgesMax } from "#shared/domain/money/earnings/circles.ts";
import { listLiabilities } from "#shared/domain/money/earnings/liabilities.ts";
import { daysMs, isoNow } from "#shared/kernel/clock.ts";
import { offsetOf, toPage } from "#shared/kernel/page.ts";
import { type AdminRoute, adminRead } from "../../../http/admin-route.ts";

const common = { tag: "Transactions", method: "get", permission: "transactions.read", extension: true } as const;

const circlesQuery = object({
  ...pageQuery,
  from: optional(plainTime("2026-11-01T00:00:00.000Z").description("Default: 30 days before `to`.")),
  to: optional(plainTime("2026-12-01T00:00:00.000Z").description("Exclusive. Default: now.")),
  min_coins: withDefault(Joi.number().integer().min(1).max(1_000_000_000).example(1000), 1000),
  max_accounts: withDefault(Joi.number().integer().min(2).max(100).example(10), 10),
});
type CirclesQuery = Infer<typeof circlesQuery>;

/** Returns what a call narrows circles to. */
const circlesOf = ({ page: _page, limit: _limit, to = isoNow(), ...filter }: CirclesQuery) => ({
  ...filter,
  from: filter.from ?? new Date(Date.parse(to) - daysMs(30)).toISOString(),
  to,
});

export const earningsRoutes = (): AdminRoute[] => [
  adminRead({
    ...common,
    id: "listGiftCircles",
    path: "/earnings/circles",
    summary: "List circles of gifts",
    description: `Returns who gave how much to whom in circles of few accounts, or to accounts that were logged in on the same device or network, edge by edge, of at most ${periodMax} days. Look at it before earnings are paid. It is no verdict: families share networks, and friends give each other gifts.`,
    query: circlesQuery,
    response: pageOf(giftCircleEdge),
    handler: ({ query }) => listCircles(circlesOf(query), query),
  }),
  adminRead({
    ...common,
    id: "listGiftGraphs",
    path: "/earnings/circles/graph",
    summary: "Draw circles of gifts",
    description: `Returns the circles of \`GET /admin/earnings/circles\` as graphs: the accounts, and at most ${shownEdgesMax} edges of each. It is no verdict.`,
    query: circlesQuery,
    response: pageOf(giftGraph),
    handler: ({ query }) => listGraphs(circlesOf(query), query),
  }),
  adminRead({
    ...common,
    id: "listLiabilities",
    path: "/earnings/liabilities",
    summary: "List liabilities for earnings",
    description:
      "Returns what you owe users for their earnings, in each currency as if all were paid in it, and whether what was received for coins covers it.",
    query: object(pageQuery),
    response: pageOf(earningsLiability),
    handler: async ({ query }) => {
      const all = await listLiabilities();
      return toPage(all.slice(offsetOf(query), offsetOf(query) + query.limit), all.length, query);
    },
  }),
];
