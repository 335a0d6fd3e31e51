import type { Request } from "express";
import Joi from "joi";
import { checkInput } from "#shared/contracts/check-input.ts";
import { type Principal, principalId } from "#shared/contracts/principal.ts";
import { assertNotInMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { assertNotSanctioned } from "#shared/domain/identity/sanctions/active-sanctions.ts";
import { assertTermsAccepted } from "#shared/domain/identity/sessions/current-terms.ts";
import { assertAgeMay } from "#shared/domain/identity/sign-in/age-may.ts";
import { assertGuestMay } from "#shared/domain/identity/sign-in/guest-may.ts";
import { assertBotMay } from "#shared/domain/operations/server-keys/server-callers.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";
import { docUrlOf } from "#shared/kernel/public-address.ts";
import { adminCredentials, authenticateAdmin, authenticateUser, authorizeIfAdmin } from "./admin-callers.ts";
import type { ApiDeps } from "./deps.ts";
import { failureSchema, successSchema } from "./docs/envelope-schemas.ts";
import type { Api, Envelope } from "./http/api.ts";
import { bearerCredentials } from "./http/authenticate.ts";
import { cameBy } from "./http/caller-address.ts";
import { jsonBodies } from "./http/read-body.ts";
import { apiRoutes } from "./routes.ts";
import { socialDocument } from "./social-document.ts";

const requestId = Joi.string().description("For 5xx errors: the value of the `X-Request-Id` header.");
const isServerError = (codes: readonly ErrorCode[]) => codes.some((code) => errorCodes[code].status >= 500);

/**
 * `{ success, data }` and `{ success, error: { code, message } }`: the API's, and that of all addresses outside an API.
 */
export const socialEnvelope: Envelope = {
  success: (data = {}) => ({ success: true, data }),
  successSchema,
  failure: ({ status, code, message, details }, requestId) => ({
    status,
    body: {
      success: false,
      error: {
        code,
        message,
        doc_url: docUrlOf(code),
        ...(details && { details }),
        ...(status >= 500 && { request_id: requestId }),
      },
    },
  }),
  failureSchema: (codes) => failureSchema(codes, isServerError(codes) ? { request_id: requestId } : {}),
};

/** Reads either token. One that is no user's is an administrator's, or invalid. */
async function authenticateEither(req: Request): Promise<Principal | null> {
  try {
    return await authenticateUser(req);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "UNAUTHENTICATED") throw error;
    return await authenticateAdmin(req);
  }
}

/** The API of the app: what users do. */
export const socialApi = (deps: ApiDeps): Api => ({
  basePath: "/api/v1",
  speaks: true,
  routes: apiRoutes(deps),
  rateLimits: {
    defaults: {
      anyone: { points: 120, seconds: 60, by: "ip" },
      caller: { points: 600, seconds: 60, by: "user" },
    },
    keyOf: principalId,
  },
  envelope: socialEnvelope,
  document: socialDocument,
  assertOpen: assertNotInMaintenance,
  assertMay: (caller, { auth, id, method }, req) => {
    if (caller.kind === "user" && caller.actedBy && method !== "get") assertBotMay(id);
    if (auth === "anyone" || caller.kind !== "user") return;
    assertAgeMay(caller, id);
    if (!caller.actedBy) assertTermsAccepted(caller, id);
    assertNotSanctioned(cameBy(caller, req), id);
    if (method !== "get") assertGuestMay(caller, id);
  },
  authenticate: (req, auth) => (auth === "user_or_admin" ? authenticateEither(req) : authenticateUser(req)),
  authorize: authorizeIfAdmin,
  credentials: bearerCredentials("bearer", "An access token, as returned by `POST /auth/login`."),
  adminCredentials,
  bodies: jsonBodies,
  checkInput,
});
