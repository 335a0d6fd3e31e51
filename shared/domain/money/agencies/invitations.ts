import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { AgencyInvitation, Contract } from "#shared/contracts/views.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import { inTransaction, sqlState, type Tx } from "#shared/db/transaction.ts";
import { assertNotBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { accessUser } from "#shared/domain/identity/relations/relations.policy.ts";
import { assertNoGuest } from "#shared/domain/identity/sign-in/guest-may.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import {
  hasContract,
  invitationClosed,
  isInvited,
  notYourself,
  ownerIsNoHost,
  tooManyInvitations,
} from "./agencies.errors.ts";
import { accessAgency, assertRunning, isPending } from "./agencies.policy.ts";
import { contractView, invitationView } from "./agencies.queries.ts";

/** Invitations of one agency that may be pending at a time. */
const pendingMax = 1000;
/** For how long they can be answered. */
const lifeDays = 30;

export interface InvitationTerms {
  readonly user_id: string;
  readonly commission_basis_points: number;
  readonly term_months: number | null;
}

/**
 * Invites a user to become a host of an agency. Publishes `agency.invited`.
 * @throws NOT_FOUND, BLOCKED, FORBIDDEN (the agency is suspended), VALIDATION_ERROR (the owner), GUEST_NOT_ALLOWED,
 *   CONFLICT (invited already, or too many invitations)
 */
export const inviteHost = (
  caller: UserPrincipal,
  agencyId: string,
  { user_id, commission_basis_points, term_months }: InvitationTerms,
): Promise<AgencyInvitation> =>
  inTransaction(async (tx) => {
    const agency = await accessAgency(caller.userId, agencyId, "staff");
    assertRunning(agency);
    if (user_id === agency.owner_id || user_id === caller.userId) throw notYourself();
    await accessUser(tx, caller.userId, user_id);
    await assertNoGuest(user_id);
    const [open] = await tx.query<{ count: number }>(
      `SELECT count(*) FROM agency_invitations i WHERE i.agency_id = $1 AND ${isPending("i")}`,
      [agencyId],
    );
    if (open!.count >= pendingMax) throw tooManyInvitations(pendingMax);

    // One that has expired makes room.
    await tx.query(
      `DELETE FROM agency_invitations WHERE agency_id = $1 AND user_id = $2 AND status = 'pending' AND expires_at <= now()`,
      [agencyId, user_id],
    );
    const id = newId();
    const made = await tx.query(
      `INSERT INTO agency_invitations
         (id, agency_id, user_id, invited_by, commission_basis_points, term_months, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 day')
       ON CONFLICT (agency_id, user_id) WHERE status = 'pending' DO NOTHING RETURNING 1`,
      [id, agencyId, user_id, caller.userId, commission_basis_points, term_months, lifeDays],
    );
    if (made.length === 0) throw isInvited();
    await tx.publish("agency.invited", { invitation_id: id, agency_id: agencyId, user_id });
    return invitationView(id);
  });

/** An invitation that is locked until the end of the transaction. */
interface Locked {
  readonly agency_id: string;
  readonly user_id: string;
  readonly owner_id: string;
  readonly status: "active" | "suspended";
  readonly commission_basis_points: number;
  readonly term_months: number | null;
}

/**
 * Step: locks an invitation that can be answered.
 * @throws NOT_FOUND for others than those whom it concerns, CONFLICT
 */
async function lockInvitation(tx: Tx, id: string, mayAnswer: (row: Locked) => Promise<boolean>): Promise<Locked> {
  const [row] = await tx.query<Locked & { state: string; pending: boolean } & Record<string, unknown>>(
    `SELECT i.agency_id, i.user_id, i.commission_basis_points, i.term_months, a.owner_id, a.status, i.status AS state,
       ${isPending("i")} AS pending
     FROM agency_invitations i JOIN agencies a ON a.id = i.agency_id WHERE i.id = $1 AND a.retired_at IS NULL
     FOR NO KEY UPDATE OF i`,
    [id],
  );
  if (!row || !(await mayAnswer(row))) throw new DomainError("NOT_FOUND");
  if (!row.pending) throw invitationClosed(row.state === "pending" ? "expired" : row.state);
  return row;
}

const close = (tx: Tx, id: string, status: "accepted" | "declined" | "withdrawn") =>
  tx.query("UPDATE agency_invitations SET status = $2, answered_at = now() WHERE id = $1", [id, status]);

/** To the one who is invited. */
const invited =
  ({ userId }: UserPrincipal) =>
  async (row: Locked): Promise<boolean> =>
    row.user_id === userId;

const exclusionViolation = "23P01";

/**
 * Accepts an invitation: the contract holds from now on. Publishes `contract.started`.
 * @throws NOT_FOUND (also if one of the host and the owner has blocked the other), CONFLICT (the invitation is closed,
 *   the host has another contract or owns an agency), FORBIDDEN (the agency is suspended)
 */
export async function acceptInvitation(caller: UserPrincipal, id: string): Promise<Contract> {
  const contractId = newId();
  try {
    return await inTransaction(async (tx) => {
      const row = await lockInvitation(tx, id, invited(caller));
      await assertNotBlocked("content", caller.userId, row.owner_id);
      assertRunning(row);
      const { agency_id, user_id: host_id, commission_basis_points, term_months } = row;
      // An owner isn't made a host, and a host no owner, at the same moment.
      await tx.query("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE", [host_id]);
      const owned = await tx.query("SELECT FROM agencies WHERE owner_id = $1 AND retired_at IS NULL LIMIT 1", [
        host_id,
      ]);
      if (owned.length > 0) throw ownerIsNoHost();
      await close(tx, id, "accepted");
      await tx.query(
        `INSERT INTO contracts (id, agency_id, host_id, commission_basis_points, ends_at)
         VALUES ($1, $2, $3, $4, now() + $5::int * interval '1 month')`,
        [contractId, agency_id, host_id, commission_basis_points, term_months],
      );
      await tx.publish("contract.started", { contract_id: contractId, agency_id, host_id, owner_id: row.owner_id });
      return contractView(contractId);
    });
  } catch (error) {
    throw sqlState(error) === exclusionViolation ? hasContract() : error;
  }
}

/** Declines an invitation. @throws NOT_FOUND, CONFLICT */
export const declineInvitation = (caller: UserPrincipal, id: string): Promise<AgencyInvitation> =>
  inTransaction(async (tx) => {
    await lockInvitation(tx, id, invited(caller));
    await close(tx, id, "declined");
    return invitationView(id);
  });

/** Withdraws an invitation of an agency. Publishes `agency.invitation_withdrawn`. @throws NOT_FOUND, CONFLICT */
export const withdrawInvitation = (caller: UserPrincipal, id: string): Promise<AgencyInvitation> =>
  inTransaction(async (tx) => {
    const { user_id, agency_id } = await lockInvitation(tx, id, async (row) => {
      await accessAgency(caller.userId, row.agency_id, "staff");
      return true;
    });
    await close(tx, id, "withdrawn");
    await tx.publish("agency.invitation_withdrawn", { invitation_id: id, agency_id, user_id });
    return invitationView(id);
  });

/** Deletes a batch of the invitations that could be answered until 90 days ago. Returns how many. A job calls it. */
export const pruneInvitations = (most = 5000): Promise<number> =>
  deleteBatch({ from: "agency_invitations", key: "id", where: "expires_at < now() - interval '90 days'" }, most);
