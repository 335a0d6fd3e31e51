import { exampleIds } from "#shared/contracts/examples.ts";
import { extend, id, line, object } from "#shared/contracts/fields.ts";
import { createSchema } from "#shared/domain/base/managed/managed-resource.ts";
import {
  createHttpHook,
  managedHttpHooks,
  overlapHours,
  rotateHookSecret,
} from "#shared/domain/operations/extensions/managed-http-hooks.ts";
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

const rotateRoute = adminWrite({
  tag,
  id: "rotateHookSecret",
  method: "post",
  path: "/http-hooks/:id/rotate-secret",
  summary: "Rotate an HTTP hook's secret",
  description: `Returns a new secret. For ${overlapHours} hours, requests have the signatures of both secrets, separated by a space; a second rotation ends that.`,
  extension: true,
  permission: "http_hooks.write",
  params: object({ id: id(exampleIds.webhook) }),
  response: withSecret,
  audit: { action: "http_hook.rotate_secret", target: ({ params }) => ({ type: "http_hook", id: params.id }) },
  handler: ({ caller, params }) => rotateHookSecret(caller, params.id),
});

/** Hooks that are servers of the operator. */
export const hooksRoutes = (): AdminRoute[] => [createRoute, ...managedChanges(managedHttpHooks, tag), rotateRoute];
