import Joi from "joi";
import { listOf, object } from "#shared/contracts/fields.ts";
import { statement, treeHead } from "#shared/contracts/views.ts";
import { listTreeHeads } from "#shared/domain/operations/admins/ledger-tree.ts";
import { getStatement } from "#shared/domain/operations/statements/statements.queries.ts";
import { type Route, routeOf } from "../../../http/route.ts";

const period = Joi.string()
  .pattern(/^\d{4}-\d{2}(-\d{2}(T\d{2})?)?$/, "a month, day, or hour")
  .required()
  .example("2026-11")
  .description("A month, a day, or an hour, in UTC: `2026-11`, `2026-11-25`, `2026-11-25T13`.");

const route = routeOf("Earnings", "user");
const openRoute = routeOf("Earnings", "anyone");

export const statementRoutes = (): Route[] => [
  openRoute({
    id: "listLedgerTreeHeads",
    method: "get",
    path: "/earnings/statements/heads",
    summary: "List signed ledger roots",
    description:
      "Returns the latest 1,000 signed roots of the tree over the ledger, newest first: one for each hour with ledger transactions. Keep them: a ledger that was rewritten doesn't match them.",
    extension: true,
    response: object({ heads: listOf(treeHead) }).meta({ name: "LedgerTreeHeads" }),
    handler: async () => ({ heads: await listTreeHeads() }),
  }),
  route({
    id: "getStatement",
    method: "get",
    path: "/earnings/statements/:period",
    blocks: "none",
    summary: "Get a statement of earnings",
    description:
      "Returns what you earned in a period, each line with what proves that it is in the operator's ledger: `docs/verify-statement.mjs` checks it against the signed roots of `GET /earnings/statements/heads`. It has at most 2,000 lines, and links to the same as a page to print and as CSV.",
    extension: true,
    rateLimit: { points: 30, seconds: 60, by: "user" },
    params: object({ period }),
    response: statement,
    handler: ({ caller, params }) => getStatement(caller.userId, String(params.period)),
  }),
];
