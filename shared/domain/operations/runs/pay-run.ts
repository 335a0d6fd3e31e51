import { service } from "#shared/contracts/principal.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { now } from "#shared/db/model.ts";
import { onBackgroundPool } from "#shared/db/sequelize.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { earnings } from "#shared/domain/money/ledger/assets.ts";
import { lockWallets, openBalances, type Transfer, transferAll } from "#shared/domain/money/ledger/transfer.ts";
import { oldestId } from "#shared/kernel/page.ts";
import { RunModel } from "./run.model.ts";
import { type RunData, resting } from "./run-steps.ts";

export const payJob = defineJob<RunData>("run.pay", { retries: 10, retryMaxSeconds: 300, timeoutSeconds: 1800 });

interface Line {
  readonly id: string;
  readonly contract_id: string;
  readonly host_id: string;
  readonly owner_id: string;
  readonly salary: number;
  readonly commission: number;
  readonly starts_on: string;
}

/**
 * Pays an approved run by batches: the salary of each line to its host, the commission to the owner of its agency, in
 * earnings, which the house issues. Goes on where it was killed, and pays each line once. A job calls it.
 * `batch`: lines of one transaction, whose wallets are locked until it ends. `most`: batches.
 */
export async function payRun(
  { run_id }: RunData,
  { batch = 100, most = Number.POSITIVE_INFINITY } = {},
): Promise<void> {
  let after: string | null = oldestId;
  for (let done = 0; done < most && after !== null; done += 1) {
    const last: string = after;
    const paySome = () => inTransaction((tx) => payBatch(tx, run_id, { after: last, batch }));
    // It writes to the wallets of gifts, and no one waits for its end.
    after = await resting(() => onBackgroundPool(paySome), 9);
  }
}

/**
 * Step: pays a batch of the lines whose contracts come after the one with the ID `after`. Returns the last one's
 * contract; after all of them, null, and the run is paid.
 */
async function payBatch(
  tx: Tx,
  runId: string,
  { after, batch }: { readonly after: string; readonly batch: number },
): Promise<string | null> {
  const run = await RunModel.lock(tx, { id: runId, status: "approved" });
  if (!run) return null;
  const lines = await tx.query<Line & Record<string, unknown>>(
    `SELECT l.id, l.contract_id, l.host_id, l.owner_id, l.salary, l.commission, r.starts_on::text AS starts_on
     FROM run_lines l JOIN runs r ON r.id = l.run_id
     WHERE l.run_id = $1 AND l.contract_id > $2 AND l.paid_at IS NULL ORDER BY l.contract_id LIMIT $3`,
    [runId, after, batch],
  );
  if (lines.length === 0) {
    await RunModel.change(tx, { id: runId }, { status: "paid", paid_at: now, steps: null, steps_done: 0 });
    return null;
  }
  const orders = lines.flatMap(transferOf);
  const userIds = orders.flatMap(({ entries }) =>
    entries.flatMap(({ account }) => ("userId" in account ? account.userId : [])),
  );
  await openBalances(tx, userIds, earnings);
  const refused = transferAll(tx, orders, await lockWallets(tx, userIds, [earnings])).find(
    (one) => one instanceof Error,
  );
  if (refused) throw refused;
  await tx.query("UPDATE run_lines SET paid_at = now() WHERE id = ANY ($1::uuid[])", [lines.map(({ id }) => id)]);
  await RunModel.change(tx, { id: runId }, { steps: run.line_count, steps_done: run.steps_done + lines.length });
  return lines.at(-1)!.contract_id;
}

/** A host who owns the agency by now has one entry for both. Nothing moves for a line that pays nothing. */
function transferOf({ id, host_id, owner_id, salary, commission, starts_on }: Line): Transfer[] {
  const total = salary + commission;
  if (total === 0) return [];
  const same = host_id === owner_id;
  const paid = [
    { account: { userId: host_id }, amount: salary + (same ? commission : 0), type: "salary" },
    { account: { userId: owner_id }, amount: same ? 0 : commission, type: "commission" },
    { account: { house: "issue" }, amount: -total, type: "salary" },
  ] as const;
  return [
    {
      asset: earnings,
      by: service,
      reference: { type: "run_line", id },
      description: `Settlement of ${starts_on}`,
      entries: paid.filter(({ amount }) => amount !== 0),
    },
  ];
}
