import { report } from "#shared/contracts/views.ts";
import { fileReport, type ReportInput } from "#shared/domain/reports/file-report.ts";
import { type Route, route } from "../../http/route.ts";
import { reportBody, type UserParams, type UserReportBody, userParams, userReportBody } from "./reports.schemas.ts";

const entry = {
  auth: "user",
  method: "post",
  status: 201,
  response: report,
  errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
  rateLimit: { points: 60, seconds: 600, by: "user" },
} as const;

export const reportsRoutes = (): Route[] => [
  route<object, object, ReportInput>({
    ...entry,
    tag: "Reports",
    path: "/reports",
    summary: "Report somebody or something to the administrators",
    description:
      "What is reported is kept as it reads now. Nobody but administrators learns of the report or of you. CONFLICT while an earlier report of yours of the same is open; FORBIDDEN for what is your own. A block is no hindrance.",
    body: reportBody,
    handler: ({ caller, body }) => fileReport(caller, body),
  }),
  route<UserParams, object, UserReportBody>({
    ...entry,
    tag: "Users",
    path: "/users/:id/report",
    summary: "Report somebody to the administrators",
    description: "The same as `POST /reports` with `target_type` user.",
    params: userParams,
    body: userReportBody,
    handler: ({ caller, params, body }) => fileReport(caller, { target_type: "user", target_id: params.id, ...body }),
  }),
];
