import { query } from "#shared/db/query.ts";
import { createManaged } from "#shared/domain/base/managed/write-managed.ts";
import { inviteHost } from "#shared/domain/money/agencies/invitations.ts";
import { managedAgencies } from "#shared/domain/money/agencies/managed-agencies.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "./factories.ts";
import { adminCaller, callerOf } from "./people.ts";

/** What tests of agencies need. */

export interface BuiltAgency {
  readonly id: string;
  readonly owner: BuiltUser;
}

/** Creates an agency, owned by a new user by default. */
export async function buildAgency(more: object = {}, owner?: BuiltUser): Promise<BuiltAgency> {
  const by = owner ?? (await buildUser());
  const values = { name: `Agency ${newId()}`, owner_id: by.id, country: "IN", time_zone: "UTC", period: "month" };
  const rest = { status: "active", plan_id: null };
  const { id } = await createManaged(adminCaller(), managedAgencies, { ...values, ...rest, ...more });
  return { id: String(id), owner: by };
}

/** Invites a user to an agency, and returns the invitation's ID. */
export async function buildInvitation({ id, owner }: BuiltAgency, user: { readonly id: string }, more: object = {}) {
  const terms = { user_id: user.id, commission_basis_points: 1000, term_months: null, ...more };
  return (await inviteHost(callerOf(owner), id, terms)).id;
}

/** Makes a user a host of an agency from a time on, instead of what they were, and returns the contract's ID. */
export async function buildContract(
  agency: Pick<BuiltAgency, "id">,
  host: { readonly id: string },
  { starts_at = "2026-01-01T00:00:00Z", ends_at = null as string | null, commission = 1000 } = {},
): Promise<string> {
  await query("UPDATE contracts SET ends_at = least(ends_at, $2) WHERE host_id = $1", [host.id, starts_at]);
  const id = newId();
  await query(
    `INSERT INTO contracts (id, agency_id, host_id, commission_basis_points, starts_at, ends_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, agency.id, host.id, commission, starts_at, ends_at],
  );
  return id;
}
