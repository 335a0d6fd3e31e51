import { type Principal, principalId } from "#shared/contracts/principal.ts";
import type { PayoutStatus } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { earnings } from "#shared/domain/money/ledger/assets.ts";
import { type House, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { PayoutModel, type PayoutRow } from "./payout.model.ts";

/** The account of the house that holds the earnings of a payout in each state; the user's own in the others. */
export const houseOf: { readonly [Status in PayoutStatus]?: House } = {
  requested: "payouts_held",
  approved: "payouts_held",
  sent: "payouts_sent",
  settled: "paid_out",
};

export type LockedPayout = Pick<PayoutRow, "id" | "user_id" | "amount" | "status">;

/** Step: moves the earnings of a payout to where its next state has them, and records the state. */
export async function movePayout(
  tx: Tx,
  by: Principal,
  payout: LockedPayout,
  status: PayoutStatus,
  changes: Partial<Pick<PayoutRow, "failure" | "flag" | "batch_id" | "resolved_by">> = {},
): Promise<void> {
  const [from, to] = [houseOf[payout.status], houseOf[status]];
  if (from !== to) await moveEarnings(tx, by, payout, { status, from, to });
  const isOver = status !== "sent" && status !== "approved";
  await PayoutModel.change(
    tx,
    { id: payout.id },
    {
      ...{ status, ...changes },
      ...(status === "sent" && { sent_at: now }),
      ...(isOver && { ended_at: now, next_try_at: null, details_sealed: null }),
    },
  );
  await tx.publish("payout.updated", { payout_id: payout.id, user_id: payout.user_id, status });
}

/** Step: moves the earnings of a payout between the user (undefined) and the house. */
export async function moveEarnings(
  tx: Tx,
  by: Principal,
  { id: payoutId, user_id: userId, amount }: Omit<LockedPayout, "status">,
  {
    status,
    from,
    to,
  }: { readonly status: PayoutStatus; readonly from?: House | undefined; readonly to?: House | undefined },
): Promise<void> {
  const id = newId();
  await tx.query(
    `INSERT INTO payout_steps (id, payout_id, status, from_house, to_house, principal_kind, principal_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [id, payoutId, status, from ?? null, to ?? null, by.kind, by.kind === "service" ? null : principalId(by)],
  );
  const accountOf = (house?: House) => (house ? { house } : { userId });
  await transfer(tx, {
    asset: earnings,
    by,
    reference: { type: "payout_step", id },
    description: "Payout",
    entries: [
      { account: accountOf(from), amount: -amount, type: "payout" },
      { account: accountOf(to), amount, type: "payout" },
    ],
  });
}
