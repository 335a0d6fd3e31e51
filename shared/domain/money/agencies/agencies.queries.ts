import type { Agency, AgencyInvitation, AgencyMember, Contract } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { type PagedStatement, queryPage } from "#shared/db/query-page.ts";
import { userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { accessAgency, holdsNow, isPending, roleIn } from "./agencies.policy.ts";

const shown = (viewer: string) => `a.id, a.name, a.country, a.time_zone, a.period, a.status, ${userCardJson} AS owner,
  ${roleIn(viewer)} AS my_role,
  (SELECT count(*) FROM contracts h WHERE h.agency_id = a.id AND ${holdsNow("h")}) AS hosts_count`;

const own = `(SELECT id FROM agencies WHERE owner_id = $1 UNION SELECT agency_id FROM agency_staff WHERE user_id = $1
    UNION SELECT c.agency_id FROM contracts c WHERE c.host_id = $1 AND ${holdsNow("c")}) AS own
  JOIN agencies a USING (id) WHERE a.retired_at IS NULL`;
// Here and below, the page first: cards and counts of what is skipped would be made, too.
const ownAgencies: PagedStatement = {
  count: `SELECT count(*) FROM ${own}`,
  rows: `SELECT ${shown("$1")} FROM (SELECT a.* FROM ${own} ORDER BY a.id DESC LIMIT $2 OFFSET $3) a
    JOIN users u ON u.id = a.owner_id ORDER BY a.id DESC`,
};

/** Returns the agencies that a user owns, works for, or is a host of, newest first. */
export const listOwnAgencies = (userId: string, page: PageQuery): Promise<Page<Agency>> =>
  queryPage<Agency>(ownAgencies, [userId], page);

/** Returns an agency as those see it who have to do with it. @throws NOT_FOUND */
export async function getAgency(userId: string, agencyId: string): Promise<Agency> {
  await accessAgency(userId, agencyId);
  const found = await queryOne<Agency & Record<string, unknown>>(
    `SELECT ${shown("$2::uuid")} FROM agencies a JOIN users u ON u.id = a.owner_id WHERE a.id = $1`,
    [agencyId, userId],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

export const agencyJson = "json_build_object('id', a.id, 'name', a.name, 'country', a.country) AS agency";
const invitationColumns = `i.id, ${agencyJson}, ${userCardJson} AS user, i.commission_basis_points, i.term_months,
  CASE WHEN i.status = 'pending' AND i.expires_at <= now() THEN 'expired' ELSE i.status END AS status, i.created_at, i.expires_at`;
const inviting = "JOIN agencies a ON a.id = i.agency_id";
const invited = "JOIN users u ON u.id = i.user_id";

const invitationsOf = (filtered: string): PagedStatement => ({
  count: `SELECT count(*) FROM agency_invitations i ${filtered}`,
  rows: `SELECT ${invitationColumns}
    FROM (SELECT i.* FROM agency_invitations i ${filtered} ORDER BY i.id DESC LIMIT $2 OFFSET $3) i
      ${inviting} ${invited} ORDER BY i.id DESC`,
});
const received = invitationsOf(
  `${inviting} WHERE i.user_id = $1 AND ${isPending("i")} AND a.retired_at IS NULL
    AND a.owner_id NOT IN (SELECT person FROM blocked_people($1) AS person)`,
);
const sent = invitationsOf(`${invited} WHERE i.agency_id = $1 AND u.status = 'active'`);

/** Returns the pending invitations of a user, newest first. */
export const listOwnInvitations = (userId: string, page: PageQuery): Promise<Page<AgencyInvitation>> =>
  queryPage<AgencyInvitation>(received, [userId], page);

/** Returns the invitations of an agency, newest first. @throws NOT_FOUND */
export async function listInvitations(
  userId: string,
  agencyId: string,
  page: PageQuery,
): Promise<Page<AgencyInvitation>> {
  await accessAgency(userId, agencyId, "staff");
  return queryPage<AgencyInvitation>(sent, [agencyId], page);
}

export async function invitationView(id: string): Promise<AgencyInvitation> {
  const found = await queryOne<AgencyInvitation & Record<string, unknown>>(
    `SELECT ${invitationColumns} FROM agency_invitations i ${inviting} ${invited} WHERE i.id = $1`,
    [id],
  );
  return found!;
}

const contractColumns = `c.id, ${agencyJson}, ${userCardJson} AS host, c.commission_basis_points, c.starts_at, c.ends_at,
  c.ended_by`;
const parties = "JOIN agencies a ON a.id = c.agency_id JOIN users u ON u.id = c.host_id";
const contractsOf = (where: string): PagedStatement => ({
  count: `SELECT count(*) FROM contracts c WHERE ${where}`,
  rows: `SELECT ${contractColumns}
    FROM (SELECT * FROM contracts c WHERE ${where} ORDER BY c.id DESC LIMIT $2 OFFSET $3) c
      ${parties} ORDER BY c.id DESC`,
});
const ofHost = contractsOf("c.host_id = $1");
const ofAgency = contractsOf(`c.agency_id = $1 AND ${holdsNow("c")}`);

/** Returns all contracts of a host, newest first. */
export const listOwnContracts = (userId: string, page: PageQuery): Promise<Page<Contract>> =>
  queryPage<Contract>(ofHost, [userId], page);

/** Returns the contracts of an agency that hold now, newest first. @throws NOT_FOUND */
export async function listHosts(userId: string, agencyId: string, page: PageQuery): Promise<Page<Contract>> {
  await accessAgency(userId, agencyId, "staff");
  return queryPage<Contract>(ofAgency, [agencyId], page);
}

export async function contractView(id: string): Promise<Contract> {
  const found = await queryOne<Contract & Record<string, unknown>>(
    `SELECT ${contractColumns} FROM contracts c ${parties} WHERE c.id = $1`,
    [id],
  );
  return found!;
}

const staff = `(SELECT a.owner_id AS user_id, 'owner' AS role, a.created_at FROM agencies a WHERE a.id = $1
    UNION ALL SELECT s.user_id, 'staff', s.created_at FROM agency_staff s WHERE s.agency_id = $1) m`;
const byRole = "ORDER BY m.role, m.created_at, m.user_id";
const members: PagedStatement = {
  count: `SELECT count(*) FROM ${staff}`,
  rows: `SELECT ${userCardJson} AS user, m.role
    FROM (SELECT * FROM ${staff} ${byRole} LIMIT $2 OFFSET $3) m JOIN users u ON u.id = m.user_id ${byRole}`,
};

/** Returns the owner and the staff of an agency. @throws NOT_FOUND */
export async function listStaff(userId: string, agencyId: string, page: PageQuery): Promise<Page<AgencyMember>> {
  await accessAgency(userId, agencyId, "staff");
  return queryPage<AgencyMember>(members, [agencyId], page);
}
