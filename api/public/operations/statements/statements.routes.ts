import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, listOf, object } from "#shared/contracts/fields.ts";
import { statement, treeHead } from "#shared/contracts/views.ts";
import { accessAgency } from "#shared/domain/money/agencies/agencies.policy.ts";
import { listTreeHeads } from "#shared/domain/operations/admins/ledger-tree.ts";
import { statementAccount } from "#shared/domain/operations/statements/statement-accounts.ts";
import { getStatement } from "#shared/domain/operations/statements/statements.queries.ts";
import { type Route, routeOf } from "../../../http/route.ts";

const period = Joi.string()
  .pattern(/^\d{4}-\d{2}(-\d{2}(T\d{2})?)?$/, "a month, day, or hour")
  .required()
  .example("2026-11")
  .description("A month, a day, or an hour, in UTC: `2026-11`, `2026-11-25`, `2026-11-25T13`.");

const route = routeOf("Earnings", "user");
const statements = {
  method: "get",
  blocks: "none",
  extension: true,
  rateLimit: { points: 30, seconds: 60, by: "user" },
  response: statement,
} as const;
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
    ...statements,
    id: "getStatement",
    path: "/earnings/statements/:period",
    summary: "Get a statement of earnings",
    description:
      "Returns what you earned in a period, each line with what proves that it is in the operator's ledger: `docs/verify-statement.mjs` checks it against the signed roots of `GET /earnings/statements/heads`. It has at most 2,000 lines, and links to the same as a page to print and as CSV.",
    params: object({ period }),
    handler: async ({ caller, params }) =>
      getStatement(await statementAccount("earnings", caller.userId), String(params.period)),
  }),
  route({
    ...statements,
    id: "getAgencyStatement",
    path: "/agencies/:id/statements/:period",
    summary: "Get an agency's statement",
    description:
      "Returns what an agency brought its owner in a period: its shares of gifts to its hosts, its commissions, and what refunds took back. For its owner, with the proofs that `GET /earnings/statements/:period` has, and for its staff, without them: they contain the owner's balance.",
    params: object({ id: id(exampleIds.agency), period }),
    handler: async ({ caller, params }) => {
      const { role } = await accessAgency(caller.userId, params.id, "staff");
      const account = await statementAccount(role === "owner" ? "agency" : "agency_lines", params.id);
      return getStatement(account, String(params.period));
    },
  }),
  route({
    ...statements,
    id: "getSellerStatement",
    path: "/sellers/me/statements/:period",
    summary: "Get a seller's statement",
    description:
      "Returns what went into your stock as a coin seller, and out of it, in 1/10,000 of a coin, with the proofs that `GET /earnings/statements/:period` has.",
    params: object({ period }),
    errors: ["NOT_FOUND"],
    handler: async ({ caller, params }) =>
      getStatement(await statementAccount("stock", caller.userId), String(params.period)),
  }),
];
