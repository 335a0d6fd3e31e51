import { type Principal, service } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { logger } from "#shared/kernel/logger.ts";
import { movePayout } from "./move-payout.ts";
import { PayoutModel, type PayoutRow } from "./payout.model.ts";
import type { PayoutOutcome } from "./providers/payout-provider.ts";

/**
 * Records what a provider says of a payout. Repeated, late, and older messages change nothing: a payout that has come
 * back stays so, and one that has arrived can only come back.
 */
export const applyOutcome = (provider: string, outcome: PayoutOutcome): Promise<void> =>
  inTransaction(async (tx) => {
    const { providerId, id } = outcome;
    const where = id ? { id, provider } : { provider, provider_id: providerId };
    const payout = await PayoutModel.lock(tx, where as Partial<PayoutRow>);
    if (!payout) return logger.error({ provider, providerId }, "a provider paid what we don't know");
    await applyStep(tx, service, payout, outcome);
  });

type Flag = NonNullable<PayoutRow["flag"]>;

/** Step: marks a payout for an administrator. Nothing more happens to it by itself. */
export async function flagPayout(tx: Tx, { id }: Pick<PayoutRow, "id">, flag: Flag): Promise<void> {
  logger.error({ payoutId: id, flag }, "a payout needs an administrator");
  await PayoutModel.change(tx, { id }, { flag, next_try_at: null });
}

function flagOf(payout: PayoutRow, { providerId, status, amount, currency }: PayoutOutcome): Flag | undefined {
  if (payout.provider_id && payout.provider_id !== providerId) return "second";
  if (amount !== payout.net || currency !== payout.currency) return "amount";
  // Declined, or returned before it was sent or by hand: then nothing may be paid.
  const isOver = payout.status === "declined" || (payout.status === "returned" && isOurs(payout));
  return status !== "returned" && (isOver || payout.status === "requested") ? "paid_after_return" : undefined;
}

const isOurs = ({ sent_at, resolved_by }: PayoutRow): boolean => sent_at === null || resolved_by !== null;

/** Step: applies an outcome to a locked payout. */
async function applyStep(tx: Tx, by: Principal, payout: PayoutRow, outcome: PayoutOutcome): Promise<void> {
  const flag = flagOf(payout, outcome);
  const { providerId, status, reference, failure } = outcome;
  if (payout.provider_id === null)
    await PayoutModel.change(tx, { id: payout.id }, { provider_id: providerId, ...(reference && { reference }) });
  else if (reference && payout.provider_id === providerId)
    await PayoutModel.change(tx, { id: payout.id }, { reference });

  let current: PayoutRow = payout;
  const move = async (to: "sent" | "settled" | "returned") => {
    await movePayout(tx, by, current, to, to === "returned" ? { failure: failure ?? "Returned by the bank" } : {});
    current = { ...current, status: to };
  };
  if (flag) {
    // The money is on its way, whatever its amount.
    if (current.status === "approved") await move("sent");
    return flagPayout(tx, payout, flag);
  }
  if (payout.flag !== null) return;
  if (current.status === "approved") await move("sent");
  if (current.status === "sent" && status !== "processing") await move(status);
  else if (current.status === "settled" && status === "returned") await move("returned");
}
