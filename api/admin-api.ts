import { checkInput } from "#shared/contracts/check-input.ts";
import { principalId } from "#shared/contracts/principal.ts";
import { adminRoutes } from "./admin/routes.ts";
import { adminCredentials, authenticateAdmin, authorizeIfAdmin } from "./admin-callers.ts";
import { adminDocument } from "./admin-document.ts";
import type { ApiDeps } from "./deps.ts";
import type { Api } from "./http/api.ts";
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
  authenticate: authenticateAdmin,
  authorize: authorizeIfAdmin,
  credentials: adminCredentials,
  bodies: jsonBodies,
  checkInput,
});
