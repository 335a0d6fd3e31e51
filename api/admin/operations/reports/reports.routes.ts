import { managedReport, managedReportDetails, resolvedReport, resolvedReports } from "#shared/contracts/views.ts";
import { claimReport } from "#shared/domain/operations/moderation/claim-report.ts";
import { inBulk, refusalsIn } from "#shared/domain/operations/moderation/in-bulk.ts";
import { getReportDetails, listReports, readReports } from "#shared/domain/operations/moderation/reports.queries.ts";
import { resolveReport } from "#shared/domain/operations/moderation/resolve-report.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { listRoute } from "../../list-route.ts";
import { bulkMax } from "../../social/posts/posts.schemas.ts";
import * as schemas from "./reports.schemas.ts";

const tag = "Reports";
const action = "report.resolve";

const readRoutes = (): AdminRoute[] => [
  listRoute({
    tag,
    id: "listReports",
    path: "/reports",
    summary: "List reports",
    description: "The download omits text written by users.",
    permission: "reports.read",
    filters: schemas.reportFilters,
    sorts: ["-created_at"],
    item: managedReport,
    list: listReports,
    download: {
      fileName: "reports",
      columns: [
        "id",
        "target_type",
        "target_id",
        "target_user_id",
        "reporter_id",
        "status",
        "action",
        "created_at",
        "closed_at",
        "closed_by",
      ],
      read: readReports,
    },
  }),
  adminRead({
    tag,
    id: "getReport",
    method: "get",
    path: "/reports/:id",
    summary: "Get a report",
    description: "With the evidence as it was when the report was filed.",
    extension: true,
    permission: "reports.read",
    params: schemas.reportParams,
    response: managedReportDetails,
    handler: ({ params }) => getReportDetails(params.id),
  }),
];

/** What users reported, and what was done about it. */
export const reportsRoutes = (): AdminRoute[] => [
  ...readRoutes(),
  adminWrite({
    tag,
    id: "claimReport",
    method: "post",
    path: "/reports/:id/claim",
    summary: "Claim a report",
    description:
      "For 30 minutes, no other administrator can claim or resolve it. Claim it again to extend the claim. A report can also be resolved without a claim.",
    extension: true,
    permission: "reports.write",
    params: schemas.reportParams,
    response: managedReport,
    errors: ["CONFLICT"],
    audit: { action: "report.claim", target: ({ params }) => ({ type: "report", id: params.id }) },
    handler: ({ caller, params }) => claimReport(caller, params.id),
  }),
  adminWrite({
    tag,
    id: "resolveReport",
    method: "post",
    path: "/reports/:id/resolve",
    summary: "Resolve a report",
    description:
      "Closes it, and does the action in the same transaction. The reporter learns only that the report was reviewed.",
    permission: "reports.write",
    params: schemas.reportParams,
    body: schemas.resolveReportBody,
    response: resolvedReport,
    errors: ["CONFLICT"],
    audit: { action, target: ({ params }, { effects }) => [{ type: "report", id: params.id }, ...effects] },
    handler: ({ caller, params, body }) => resolveReport(caller, params.id, body),
  }),
  adminWrite({
    tag,
    id: "resolveReports",
    method: "post",
    path: "/reports/resolve",
    summary: "Resolve several reports",
    description: `Up to ${bulkMax} alike, such as all reports of one thing, each on its own: one that is rejected doesn't hold up the others.`,
    extension: true,
    permission: "reports.write",
    body: schemas.resolveReportsBody,
    response: resolvedReports,
    audit: {
      action,
      target: (_call, { results }) => [
        ...results
          .filter(({ outcome }) => outcome === "done")
          .flatMap(({ id, effects = [] }) => [{ type: "report", id }, ...effects]),
        ...refusalsIn("resolveReports", results),
      ],
    },
    handler: async ({ caller, body: { ids, ...resolution } }) => ({
      results: await inBulk({ caller, operation: "resolveReports" }, ids, async (id) => ({
        effects: (await resolveReport(caller, id, resolution)).effects,
      })),
    }),
  }),
];
