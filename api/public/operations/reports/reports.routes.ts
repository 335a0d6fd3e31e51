import { report } from "#shared/contracts/views.ts";
import { fileReport } from "#shared/domain/operations/reports/file-report.ts";
import { type Route, route } from "../../../http/route.ts";
import { createReportBody, reportUserBody, userParams } from "./reports.schemas.ts";

const entry = {
  auth: "user",
  method: "post",
  status: 201,
  response: report,
  errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
  rateLimit: { points: 60, seconds: 600, by: "user" },
} as const;

export const reportsRoutes = (): Route[] => [
  route({
    ...entry,
    id: "createReport",
    tag: "Reports",
    path: "/reports",
    blocks: "unaffected",
    summary: "Report a user or content",
    description:
      "Sends a report to the administrators, with a copy of the reported profile or content as it is now. Only administrators see the report and who filed it. You can report a user whom you blocked, or who blocked you. The error is `FORBIDDEN` for yourself and your own content, and `CONFLICT` while an earlier report of yours about the same target is open.",
    body: createReportBody,
    handler: ({ caller, body }) => fileReport(caller, body),
  }),
  route({
    ...entry,
    id: "reportUser",
    tag: "Users",
    path: "/users/:id/report",
    blocks: "unaffected",
    summary: "Report a user",
    description: "The same as `POST /reports` with the `target_type` `user`.",
    params: userParams,
    body: reportUserBody,
    handler: ({ caller, params, body }) => fileReport(caller, { target_type: "user", target_id: params.id, ...body }),
  }),
];
