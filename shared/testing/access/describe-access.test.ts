import express from "express";
import { id, object, text } from "#shared/contracts/fields.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../api/http/admin-route.ts";
import type { Api } from "../../../api/http/api.ts";
import { mount } from "../../../api/http/mount.ts";
import { assignRequestId } from "../../../api/http/observe.ts";
import { makeRateLimits } from "../../../api/http/rate-limit.ts";
import { socialApi } from "../../../api/social-api.ts";
import { useDatabase } from "../database.ts";
import { adminCaller } from "../people.ts";
import { clientOf, noEngine } from "../service.ts";
import { useApp } from "../use-app.ts";
import { describeAccess } from "./describe-access.ts";

const permissions: Readonly<Record<string, string>> = {
  newcomer: "",
  reader: "users.read",
  "super admin": "users.read users.suspend",
};

const base = {
  id: "useUser",
  tag: "Users",
  summary: "A user",
  params: object({ id: id() }),
  response: text(1, 9),
} as const;
const get = adminRead({
  ...base,
  method: "get",
  path: "/users/:id",
  permission: "users.read",
  handler: async () => "Ada",
});
const suspend = adminWrite({
  ...base,
  method: "post",
  path: "/users/:id/suspend",
  permission: "users.suspend",
  audit: { action: "user.suspend", target: ({ params }) => ({ type: "user", id: params.id }) },
  handler: async ({ caller, params }) => {
    await inTransaction((tx) => tx.audit(caller, { action: "user.suspend", target: { type: "user", id: params.id } }));
    return "Ada";
  },
});

/** An admin API whose tokens contain the caller. */
const admin: Api<AdminRoute> = {
  ...socialApi({ actors: noEngine }),
  basePath: "/admin",
  routes: [get, suspend],
  authenticate: async ({ headers, res }) => {
    const role = headers.authorization?.replace("Bearer ", "");
    const ids = { adminId: newId(), sessionId: newId(), requestId: String(res!.locals.requestId) };
    return role ? { ...adminCaller(), role, ...ids } : null;
  },
  authorize: (caller, { permission }) => {
    if (caller.kind !== "admin" || !permissions[caller.role]?.includes(permission)) throw new DomainError("FORBIDDEN");
  },
};

describe("an access matrix of other callers", () => {
  useDatabase();
  const served = useApp(
    express()
      .use(assignRequestId)
      .use(admin.basePath, mount(admin, makeRateLimits({ enabled: false }))),
  );

  describeAccess({
    routes: admin.routes,
    callers: ["newcomer", "reader", "super admin"],
    matrix: {
      "get /users/:id": { outcomes: ["FORBIDDEN", "ok", "ok"], at: ({ user }) => ({ params: { id: user } }) },
      "post /users/:id/suspend": {
        outcomes: ["FORBIDDEN", "FORBIDDEN", "ok"],
        at: ({ user }) => ({ params: { id: user } }),
      },
    },
    call: (...call) => clientOf(served.url, admin)(...call),
    build: async () => ({ user: newId() }),
    tokenOf: (_world, caller) => caller,
  });
});
