import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { atOnce } from "./end-contract.ts";

/**
 * Step: ends the contracts of a host, deletes invitations to them and their part in staffs, and suspends the agencies
 * that they own, whose contracts wait for another owner. Contracts that have ended keep the bare ID.
 */
export const eraseAgencies = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    `UPDATE contracts SET ends_at = greatest(starts_at, ${atOnce}), ended_by = 'erasure'
     WHERE host_id = $1 AND (ends_at IS NULL OR ends_at > now() + interval '1 minute') RETURNING 1`,
    "DELETE FROM agency_invitations WHERE user_id = $1 RETURNING 1",
    "DELETE FROM agency_staff WHERE user_id = $1 RETURNING 1",
    "UPDATE agencies SET status = 'suspended', updated_at = now() WHERE owner_id = $1 AND status = 'active' RETURNING 1",
  );
