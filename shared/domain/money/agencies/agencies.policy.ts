import type { Agency } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { agencySuspended, ownerOnly } from "./agencies.errors.ts";

/** SQL: whether a contract holds now. */
export const holdsNow = (contract: string): string =>
  `${contract}.starts_at <= now() AND (${contract}.ends_at IS NULL OR ${contract}.ends_at > now())`;

/** SQL: whether an invitation can be answered. */
export const isPending = (invitation: string): string =>
  `${invitation}.status = 'pending' AND ${invitation}.expires_at > now()`;

/** SQL: what a user is to the agency `a`; null if nothing. */
export const roleIn = (user: string): string => `CASE WHEN a.owner_id = ${user} THEN 'owner'
  WHEN EXISTS (SELECT FROM agency_staff s WHERE s.agency_id = a.id AND s.user_id = ${user}) THEN 'staff'
  WHEN EXISTS (SELECT FROM contracts c WHERE c.agency_id = a.id AND c.host_id = ${user} AND ${holdsNow("c")}) THEN 'host'
  WHEN EXISTS (SELECT FROM agency_invitations i WHERE i.agency_id = a.id AND i.user_id = ${user} AND ${isPending("i")})
    THEN 'invited' END`;

/** An agency, and what the caller is to it. */
export interface AgencyAccess {
  readonly owner_id: string;
  readonly status: Agency["status"];
  readonly time_zone: string;
  readonly role: Agency["my_role"];
}

/**
 * Returns an agency that a user may see. `by`: who may do what follows: all who see it, its owner and staff, or its
 * owner.
 * @throws NOT_FOUND (also for hosts, where only the staff may), FORBIDDEN for staff where only the owner may
 */
export async function accessAgency(
  userId: string,
  agencyId: string,
  by: "anyone" | "staff" | "owner" = "anyone",
): Promise<AgencyAccess> {
  const found = await queryOne<AgencyAccess & Record<string, unknown>>(
    `SELECT a.owner_id, a.status, a.time_zone, ${roleIn("v.user_id")} AS role
     FROM (VALUES ($2::uuid)) AS v (user_id) JOIN agencies a ON a.retired_at IS NULL AND a.id = $1`,
    [agencyId, userId],
  );
  const runs = found?.role === "owner" || found?.role === "staff";
  if (!found?.role || (by !== "anyone" && !runs)) throw new DomainError("NOT_FOUND");
  if (by === "owner" && found.role !== "owner") throw ownerOnly();
  return found;
}

/** @throws FORBIDDEN */
export function assertRunning({ status }: Pick<AgencyAccess, "status">): void {
  if (status !== "active") throw agencySuspended();
}
