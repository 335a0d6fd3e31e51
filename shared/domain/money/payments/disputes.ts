import type { ProviderName } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { ProviderRefund } from "./providers/provider.ts";
import type { LockedOrder } from "./settle-payment.ts";

/**
 * Step: publishes that a dispute has taken the money of an order: `dispute.opened` first, also if it is lost already.
 */
export async function publishNewDispute(
  tx: Tx,
  order: LockedOrder,
  provider: string,
  { id, amount, dispute }: ProviderRefund,
): Promise<void> {
  if (!dispute) return;
  await tx.publish("dispute.opened", toldOf(order, provider, id, amount));
  if (dispute === "lost") await tx.publish("dispute.lost", toldOf(order, provider, id, amount));
}

/** Step: ends a dispute that was open. Publishes `dispute.lost` once. */
export const loseDispute = (tx: Tx, order: LockedOrder, provider: string, id: string): Promise<void> =>
  endDispute(tx, order, { provider, id, from: ["open"], to: "lost" });

/** Step: ends a dispute, also one that counted as lost. Publishes `dispute.won` once. */
export const winDispute = (tx: Tx, order: LockedOrder, provider: string, id: string): Promise<void> =>
  endDispute(tx, order, { provider, id, from: ["open", "lost"], to: "won" });

interface End {
  readonly provider: string;
  readonly id: string;
  readonly from: readonly string[];
  readonly to: "won" | "lost";
}

async function endDispute(tx: Tx, order: LockedOrder, { provider, id, from, to }: End): Promise<void> {
  const [ended] = await tx.query<{ amount: number }>(
    `UPDATE payment_refunds SET dispute = $3 WHERE provider = $1 AND provider_refund_id = $2 AND dispute = ANY($4)
     RETURNING amount`,
    [provider, id, to, from],
  );
  if (ended) await tx.publish(`dispute.${to}`, toldOf(order, provider, id, ended.amount));
}

const toldOf = ({ id, user_id, kind, currency }: LockedOrder, provider: string, disputeId: string, amount: number) => ({
  order_id: id,
  user_id,
  kind,
  provider: provider as ProviderName,
  provider_refund_id: disputeId,
  amount,
  currency,
});
