import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { Contract } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { contractEnds } from "./agencies.errors.ts";
import { accessAgency } from "./agencies.policy.ts";
import { contractView } from "./agencies.queries.ts";
import { managedContracts } from "./managed-agencies.ts";

/**
 * When a contract ends that ends at once: after the commit of what ends it, so that no gift that doesn't see the end
 * yet is dated after it.
 */
export const atOnce = "clock_timestamp() + interval '1 second'";

interface Ended {
  readonly host_id: string;
  readonly agency_id: string;
  readonly owner_id: string;
  readonly ends_at: string;
  /** Null until the end. */
  readonly ended_by: string | null;
  readonly over: boolean;
}

async function lockContract(tx: Tx, id: string): Promise<Ended | undefined> {
  const [row] = await tx.query<Ended & Record<string, unknown>>(
    `SELECT c.host_id, c.agency_id, a.owner_id, c.ends_at, c.ended_by, coalesce(c.ends_at <= now(), false) AS over
     FROM contracts c JOIN agencies a ON a.id = c.agency_id WHERE c.id = $1 FOR NO KEY UPDATE OF c`,
    [id],
  );
  return row;
}

/** Step: ends it at a time (SQL), unless its term ends before. Publishes `contract.ending`. */
async function end(tx: Tx, id: string, { host_id, agency_id, owner_id }: Ended, by: string, at: string): Promise<void> {
  const [ended] = await tx.query<{ ends_at: string }>(
    `UPDATE contracts SET ended_by = $2, ends_at = greatest(starts_at, least(ends_at, ${at})) WHERE id = $1 RETURNING ends_at`,
    [id, by],
  );
  const { ends_at } = ended!;
  await tx.publish("contract.ending", { contract_id: id, agency_id, host_id, owner_id, ends_at });
}

/**
 * Ends a contract with the notice of the settings, by its host or by the owner of its agency.
 * @throws NOT_FOUND, FORBIDDEN (the staff), CONFLICT (it ends already by notice, or has ended)
 */
export const giveNotice = (caller: UserPrincipal, id: string): Promise<Contract> =>
  inTransaction(async (tx) => {
    const row = await lockContract(tx, id);
    const by = row?.host_id === caller.userId ? "host" : row?.owner_id === caller.userId ? "agency" : undefined;
    // The staff know the contract.
    if (row && !by) await accessAgency(caller.userId, row.agency_id, "owner");
    if (!row || !by) throw new DomainError("NOT_FOUND");
    if (row.over || row.ended_by) throw contractEnds();
    await end(tx, id, row, by, `now() + ${setting("contract_notice_days")} * interval '1 day'`);
    return contractView(id);
  });

/** Ends a contract at once, whatever its notice. @throws NOT_FOUND, CONFLICT (it has ended) */
export const endContract = (caller: AdminPrincipal, id: string, reason: string): Promise<ManagedRecord> =>
  inTransaction(async (tx) => {
    const row = await lockContract(tx, id);
    if (!row) throw new DomainError("NOT_FOUND");
    if (row.over) throw contractEnds();
    await end(tx, id, row, "admin", atOnce);
    const record = await getManaged(managedContracts, id);
    await tx.audit(caller, {
      action: "contract.end",
      target: { type: "contract", id },
      before: { ends_at: row.ends_at, ended_by: row.ended_by },
      after: { ends_at: record.ends_at, ended_by: "admin" },
      reason,
    });
    return record;
  });
