import { type Principal, serverKeyOf } from "#shared/contracts/principal.ts";
import { callerOf, verifyAccessClaims } from "#shared/domain/identity/sessions/access-token.ts";
import { tokenVerifier, type VerifyToken } from "#shared/domain/identity/sessions/verify-token.ts";
import { adminCallerOf, authorizeAdmin } from "#shared/domain/operations/admins/admin-access.ts";
import { type AdminClaims, adminTokenRules } from "#shared/domain/operations/admins/admin-token.ts";
import { auditBot, botOf, isServerKey, serverCallerOf } from "#shared/domain/operations/server-keys/server-callers.ts";
import { bearerAuthentication, bearerCredentials } from "./http/authenticate.ts";
import type { RouteEntry } from "./http/route.ts";

/** How administrators identify themselves, in each API that they may call. */
export const adminCredentials = bearerCredentials(
  "adminToken",
  "An admin token, as returned by `POST /api/v1/admin/login`, or a server key, as returned by `POST /api/v1/admin/server-keys`.",
);

/** Leaves server keys, which no signature proves, to what looks for them in the database. */
const orServerKey =
  <Claims>(verify: VerifyToken<Claims>): VerifyToken<Claims | string> =>
  (token) =>
    isServerKey(token) ? Promise.resolve(token) : verify(token);

/** Administrators, and servers of the operator by their keys. */
export const authenticateAdmin = bearerAuthentication(
  orServerKey(tokenVerifier<AdminClaims>("admin-token", adminTokenRules)),
  (proof, origin) => (typeof proof === "string" ? serverCallerOf(proof, origin) : adminCallerOf(proof, origin)),
);

/** Users, and servers of the operator that act as bots. */
export const authenticateUser = bearerAuthentication(orServerKey(verifyAccessClaims), (proof, origin, req) =>
  typeof proof === "string" ? botOf(proof, origin, req.get("act-as")) : callerOf(proof),
);

/**
 * Asserts that an administrator's role allows an operation, and notes in the audit log what is done as a bot. Other
 * callers need no permission.
 * @throws FORBIDDEN, MFA_REQUIRED
 */
export async function authorizeIfAdmin(caller: Principal, { permission, id }: RouteEntry): Promise<void> {
  if (caller.kind === "admin" && permission) await authorizeAdmin(caller, permission, id);
  if (caller.kind === "user" && serverKeyOf(caller)) await auditBot(caller, id);
}
