import { dataExport } from "#shared/contracts/views.ts";
import { getExport, requestExport } from "#shared/domain/operations/exports/request-export.ts";
import { type Route, route } from "../../../http/route.ts";

export const exportRoutes = (): Route[] => [
  route({
    id: "requestDataExport",
    method: "post",
    path: "/users/me/export",
    tag: "Account",
    summary: "Export your data",
    description:
      "Begins to make a zip of JSON files with everything that the service stores of you: profile, ways to log in, sessions, messages, posts, gifts, purchases, and more. Follow it with `GET /users/me/export`. When it is ready, a mail with the link goes to your verified email address. There is one export at a time: a repeated call returns the one that is being made or is ready. It is deleted after a day.",
    auth: "user",
    rateLimit: { points: 10, seconds: 3600, by: "user" },
    status: 201,
    response: dataExport,
    handler: ({ caller }) => requestExport(caller),
  }),
  route({
    id: "getDataExport",
    method: "get",
    path: "/users/me/export",
    tag: "Account",
    summary: "Get your export",
    description: "Returns the state of the export that you requested last, and its link once it is ready.",
    auth: "user",
    errors: ["NOT_FOUND"],
    response: dataExport,
    handler: ({ caller }) => getExport(caller),
  }),
];
