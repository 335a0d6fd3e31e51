import type { Principal } from "#shared/contracts/principal.ts";
import { defineJob } from "#shared/db/jobs.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { SanctionModel } from "./sanction.model.ts";

/** Mails a user who is kept out what was imposed, or decided about their appeal. The job holds no address. */
export const keptOutMailJob = defineJob<{ sanction_id: string; about: "imposed" | "decided" }>("mail.kept_out", {
  retries: 12,
  retryMaxSeconds: 900,
  timeoutSeconds: 60,
});

/**
 * Step: records the suspension of an account as a sanction, so that the user is mailed why, and can appeal. It is
 * enforced by the account's status.
 */
export async function recordSuspension(
  tx: Tx,
  by: Principal,
  suspension: { readonly user_id: string; readonly reason: string; readonly until: string | null },
): Promise<void> {
  const id = newId();
  const created_by = by.kind === "admin" ? by.adminId : null;
  await SanctionModel.insert(tx, { id, ...suspension, kinds: ["login"], created_by, suspends: true });
  await tx.enqueue(keptOutMailJob, { sanction_id: id, about: "imposed" });
}

/** Step: notes that a user's account is no longer suspended. */
export async function endRecordedSuspension(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `UPDATE sanctions SET lifted_at = now()
     WHERE user_id = $1 AND suspends AND lifted_at IS NULL AND (until IS NULL OR until > now())`,
    [userId],
  );
}
