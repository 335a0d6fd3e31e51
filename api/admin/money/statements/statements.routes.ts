import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, pageOf, pageQuery } from "#shared/contracts/fields.ts";
import type { Permission } from "#shared/contracts/permissions.ts";
import { statementMonth } from "#shared/contracts/views.ts";
import type { StatementKind } from "#shared/domain/operations/statements/statement-accounts.ts";
import { listStatements } from "#shared/domain/operations/statements/statements.queries.ts";
import { type AdminRoute, adminRead } from "../../../http/admin-route.ts";

/** The statements of a kind of record, month by month, with links to pages and files. */
interface Listed {
  readonly id: string;
  readonly records: string;
  readonly exampleId: string;
  readonly summary: string;
  readonly tag: string;
  readonly permission: Permission;
  readonly kind: StatementKind;
}

const statementsOf = ({ id: operation, records, exampleId, kind, ...rest }: Listed): AdminRoute =>
  adminRead({
    ...rest,
    id: operation,
    method: "get",
    path: `/${records}/:id/statements`,
    description:
      "Lists the months since the first entry, newest first, with links to their statements, which work for an hour. `docs/verify-statement.mjs` verifies what `json_url` returns.",
    extension: true,
    params: object({ id: id(exampleId) }),
    query: object(pageQuery),
    response: pageOf(statementMonth),
    handler: ({ params, query }) => listStatements(kind, String(params.id), query),
  });

export const statementsRoutes = (): AdminRoute[] => [
  statementsOf({
    id: "listUserStatements",
    records: "users",
    exampleId: exampleIds.ada,
    summary: "List a user's statements",
    tag: "Transactions",
    permission: "transactions.read",
    kind: "earnings",
  }),
  statementsOf({
    id: "listAgencyStatements",
    records: "agencies",
    exampleId: exampleIds.agency,
    summary: "List an agency's statements",
    tag: "Agencies",
    permission: "agencies.read",
    kind: "agency",
  }),
  statementsOf({
    id: "listSellerStatements",
    records: "sellers",
    exampleId: exampleIds.seller,
    summary: "List a seller's statements",
    tag: "Sellers",
    permission: "sellers.read",
    kind: "stock",
  }),
];
