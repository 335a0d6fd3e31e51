import { checkInput } from "#shared/contracts/check-input.ts";
import { principalId } from "#shared/contracts/principal.ts";
import { adminCallerOf, authorizeAdmin } from "#shared/domain/operations/admins/admin-access.ts";
import { adminTokenRules } from "#shared/domain/operations/admins/admin-token.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { adminRoutes } from "./admin/routes.ts";
import { adminDocument } from "./admin-document.ts";
import type { ApiDeps } from "./deps.ts";
import type { Api } from "./http/api.ts";
import { bearerAuthentication, bearerCredentials } from "./http/authenticate.ts";
import { jsonBodies } from "./http/read-body.ts";
import { socialEnvelope } from "./social-api.ts";

/** The API of the administrators. It also works during maintenance. */
export const adminApi = (deps: ApiDeps): Api => ({
  basePath: "/api/v1/admin",
  speaks: true,
  routes: adminRoutes(deps),
  rateLimits: {
    defaults: {
      anyone: { points: 30, seconds: 60, by: "ip" },
      caller: { points: 600, seconds: 60, by: "admin" },
    },
    keyOf: principalId,
  },
  envelope: socialEnvelope,
  document: adminDocument,
  assertOpen: () => {},
  isPrivate: true,
  authenticate: bearerAuthentication({ name: "admin-token", rules: adminTokenRules, principalOf: adminCallerOf }),
  authorize: async (caller, { permission, id }) => {
    if (caller.kind !== "admin" || !permission) throw new DomainError("UNAUTHENTICATED");
    await authorizeAdmin(caller, permission, id);
  },
  credentials: bearerCredentials("adminToken", "An admin token, as returned by `POST /login`."),
  bodies: jsonBodies,
  checkInput,
});
