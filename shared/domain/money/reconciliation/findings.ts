import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { findingKinds, findingStatuses } from "#shared/contracts/views.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import { observeCount } from "#shared/db/observe-count.ts";
import { queryOne } from "#shared/db/query.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { FindingModel } from "./finding.model.ts";

/** A difference between our books and a provider's. */
export interface Finding {
  readonly provider: string;
  /** Of the provider's books, UTC. */
  readonly day: string;
  readonly kind: (typeof findingKinds)[number];
  readonly subject: "payment" | "refund";
  readonly provider_id: string;
  readonly order_id: string | null;
  readonly amount_here: number | null;
  readonly amount_there: number | null;
  readonly currency: string | null;
  readonly status: (typeof findingStatuses)[number];
}

/** Stores a finding, once for each payment or refund and kind. One that an administrator closed stays closed. */
export async function storeFinding(finding: Finding): Promise<void> {
  const { provider, day, kind, subject, provider_id, order_id, amount_here, amount_there, currency, status } = finding;
  await alone(
    `INSERT INTO payment_findings AS f
       (id, provider, day, kind, subject, provider_id, order_id, amount_here, amount_there, currency, status)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT (provider, subject, provider_id, kind) DO UPDATE SET amount_here = EXCLUDED.amount_here,
       amount_there = EXCLUDED.amount_there, order_id = EXCLUDED.order_id, status = EXCLUDED.status,
       version = f.version + 1, updated_at = now() WHERE f.status <> 'closed'`,
    [newId(), provider, day, kind, subject, provider_id, order_id, amount_here, amount_there, currency, status],
  );
}

/** Settles the findings about what differs no longer. */
export async function settleFindings(provider: string, subject: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await alone(
    `UPDATE payment_findings SET status = 'settled', version = version + 1, updated_at = now()
     WHERE provider = $1 AND subject = $2 AND provider_id = ANY($3) AND status = 'open'`,
    [provider, subject, ids],
  );
}

/** Closes a finding that an administrator has dealt with. @throws NOT_FOUND, CONFLICT if it isn't open */
export async function closeFinding(caller: AdminPrincipal, id: string, reason: string): Promise<void> {
  await inTransaction(async (tx) => {
    const finding = await FindingModel.lock(tx, { id }, ["status", "version"]);
    if (!finding) throw new DomainError("NOT_FOUND");
    if (finding.status !== "open") throw new DomainError("CONFLICT", "This finding isn't open.");
    await FindingModel.change(tx, { id }, { status: "closed", version: finding.version + 1 });
    await tx.audit(caller, {
      action: "payment_finding.close",
      target: { type: "payment_finding", id },
      before: { status: "open" },
      after: { status: "closed" },
      reason,
    });
  });
}

/** How many findings are counted at most. */
const countMax = 1000;
const openFindings = `SELECT count(*) AS n FROM
  (SELECT 1 FROM payment_findings WHERE status = 'open' LIMIT ${countMax}) AS open`;

export const countFindings = async (): Promise<number> => (await queryOne<{ n: number }>(openFindings))!.n;

/** Counts the open findings for the metrics. */
export const observeFindings = (): Promise<void> => observeCount(metrics.paymentFindings, openFindings);

/** Deletes findings older than a year, at most `most`. Returns how many. Called by a job. */
export const pruneFindings = (most = 5000): Promise<number> =>
  deleteBatch({ from: "payment_findings", key: "id", where: "created_at < now() - interval '1 year'" }, most);
