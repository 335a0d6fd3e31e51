import { extend, line } from "#shared/contracts/fields.ts";
import { createSchema } from "#shared/domain/base/managed/managed-resource.ts";
import { createHttpHook, managedHttpHooks } from "#shared/domain/operations/extensions/managed-http-hooks.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
import { managedChanges, managedRecord } from "../../managed-routes.ts";

const tag = "HTTP hooks";
const withSecret = extend(managedRecord(managedHttpHooks), {
  secret: line(1, 100, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD").description("Signs what is sent. Shown only here."),
}).meta({ name: "HttpHookWithSecret" });

const createRoute = adminWrite({
  tag,
  id: "createHttpHook",
  method: "post",
  path: "/http-hooks",
  summary: "Create an HTTP hook",
  description:
    "Has your server asked before, or notified after, an operation or an action. Each request is signed as the Standard Webhooks specification says. The secret is only in this response.",
  extension: true,
  permission: "http_hooks.write",
  body: createSchema(managedHttpHooks).meta({ name: "CreateHttpHookBody" }),
  response: withSecret,
  status: 201,
  errors: ["CONFLICT"],
  audit: { action: "http_hook.create", target: () => ({ type: "http_hook" }) },
  handler: ({ caller, body }) => createHttpHook(caller, body),
});

/** Hooks that are servers of the operator. */
export const hooksRoutes = (): AdminRoute[] => [createRoute, ...managedChanges(managedHttpHooks, tag)];
