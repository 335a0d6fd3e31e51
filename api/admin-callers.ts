import type { Principal } from "#shared/contracts/principal.ts";
import { tokenVerifier } from "#shared/domain/identity/sessions/verify-token.ts";
import { adminCallerOf, authorizeAdmin } from "#shared/domain/operations/admins/admin-access.ts";
import { type AdminClaims, adminTokenRules } from "#shared/domain/operations/admins/admin-token.ts";
import { bearerAuthentication, bearerCredentials } from "./http/authenticate.ts";
import type { RouteEntry } from "./http/route.ts";

/** How administrators identify themselves, in each API that they may call. */
export const adminCredentials = bearerCredentials(
  "adminToken",
  "An admin token, as returned by `POST /api/v1/admin/login`.",
);

export const authenticateAdmin = bearerAuthentication(
  tokenVerifier<AdminClaims>("admin-token", adminTokenRules),
  adminCallerOf,
);

/**
 * Asserts that an administrator's role allows an operation. Other callers need no permission.
 * @throws FORBIDDEN, MFA_REQUIRED
 */
export async function authorizeIfAdmin(caller: Principal, { permission, id }: RouteEntry): Promise<void> {
  if (caller.kind === "admin" && permission) await authorizeAdmin(caller, permission, id);
}
