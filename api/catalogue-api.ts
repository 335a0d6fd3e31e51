import { inputCheck } from "#shared/contracts/check-input.ts";
import { listOf, object, oneOf, text, union } from "#shared/contracts/fields.ts";
import { principalId } from "#shared/contracts/principal.ts";
import { assertNotInMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { isNotAccepted, isNotWhole, isRequired, labelOf } from "#shared/domain/catalogue/orders/form.ts";
import { holderOf } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { assertNotSanctioned } from "#shared/domain/identity/sanctions/active-sanctions.ts";
import { assertAgeMay } from "#shared/domain/identity/sign-in/age-may.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { balancesRoutes } from "./catalogue/balances.routes.ts";
import { catalogueRoutes, tokenRoute } from "./catalogue/catalogue.routes.ts";
import { catalogueBodies } from "./catalogue/catalogue-bodies.ts";
import { catalogueBasePath } from "./catalogue/paged.ts";
import { catalogueDocument } from "./catalogue-document.ts";
import type { Api, Envelope } from "./http/api.ts";
import { callerAddress, cameBy } from "./http/caller-address.ts";

/** The statuses of the contract: whatever is wrong with what a call asks for is a 422. */
const statusOf = (code: ErrorCode, status: number): number => {
  if (code === "ACCOUNT_SUSPENDED") return 401;
  return status >= 500 || [401, 404, 405, 413, 415, 429].includes(status) ? status : 422;
};

const envelope: Envelope = {
  success: (data, route) => (route.id === tokenRoute.id ? data : { status: "success", message: data }),
  successSchema: (data, route) =>
    route.id === tokenRoute.id ? data : object({ status: oneOf("success"), message: data }),
  failure: ({ code, status, message, details }) => ({
    status: statusOf(code, status),
    body: { status: "failed", errors: details?.map((fault) => fault.message) ?? message },
  }),
  failureSchema: () =>
    object({
      status: oneOf("failed"),
      errors: union(text(1, 500), listOf(text(1, 500))).description(
        "A sentence; for a validation failure, one for each missing or invalid field.",
      ),
    }),
};

const token = /^(?:Bearer +)?([\w-]{43})$/i;

/** The catalogue of top-ups and gift cards, for programs of resellers. */
export const catalogueApi = (): Api => ({
  basePath: catalogueBasePath,
  routes: [...catalogueRoutes(), ...balancesRoutes()],
  assertOpen: assertNotInMaintenance,
  authenticate: async (req) => {
    const { authorization } = req.headers;
    if (authorization === undefined) return null;
    // Any other text is no token either: the answer is the same.
    return holderOf(token.exec(authorization)?.[1] ?? "", callerAddress(req));
  },
  assertMay: (caller, { id }, req) => {
    if (caller.kind !== "key_holder") return;
    assertAgeMay(caller, id);
    assertNotSanctioned(cameBy(caller, req), id);
  },
  credentials: {
    name: "bearerToken",
    scheme: {
      type: "http",
      scheme: "bearer",
      description:
        "A token, as returned by `POST /generate/authorization-token`. The word `Bearer` in the header `Authorization` may be left out.",
    },
    challenge: "Bearer",
    headersOf: (value) => ({ authorization: `Bearer ${value}` }),
  },
  rateLimits: {
    defaults: {
      anyone: { points: 60, seconds: 60, by: "ip" },
      caller: { points: 600, seconds: 60, by: "key_holder" },
    },
    keyOf: principalId,
  },
  bodies: catalogueBodies,
  checkInput: inputCheck(({ type, path }) => {
    if (path.length === 0) return "The body must be a form.";
    const name = path.join(".");
    if (type === "number.integer") return isNotWhole(labelOf(name));
    return type === "object.unknown" ? isNotAccepted(name.slice(0, 100)) : isRequired(labelOf(name));
  }),
  envelope,
  document: catalogueDocument,
});
