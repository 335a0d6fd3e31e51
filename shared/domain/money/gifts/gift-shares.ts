import type { Tx } from "#shared/db/transaction.ts";
import { coins, earnings } from "#shared/domain/money/ledger/assets.ts";
import type { TransferEntry } from "#shared/domain/money/ledger/transfer.ts";
import type { GiftShare } from "#shared/domain/money/splits/split-gift.ts";

/**
 * Returns what a gift's shares move beside the sender's coins. The house keeps the coins that aren't shared, and issues
 * the earnings. A host who receives a gift in their own room has one entry of each asset.
 */
export function entriesOf(total: number, shares: readonly GiftShare[]): TransferEntry[] {
  const perUser = Map.groupBy(shares, ({ userId, asset }) => `${userId} ${asset}`);
  const entries: TransferEntry[] = [...perUser.values()].map((own) => ({
    account: { userId: own[0]!.userId },
    asset: own[0]!.asset,
    amount: sumOf(own, "amount"),
    bought: sumOf(own, "bought"),
    type: own.some(({ taker }) => taker === "receiver") ? "gift_received" : "gift_share",
  }));
  const [inCoins, inEarnings] = [coins, earnings].map((asset) =>
    sumOf(
      shares.filter((share) => share.asset === asset),
      "amount",
    ),
  ) as [number, number];
  if (inEarnings > 0)
    entries.push({ account: { house: "issue" }, asset: earnings, amount: -inEarnings, type: "gift_received" });
  // The house gets nothing of a gift whose price users share.
  if (total > inCoins) entries.push({ account: { house: "gift_revenue" }, amount: total - inCoins, type: "gift_sent" });
  return entries;
}

const sumOf = (shares: readonly GiftShare[], part: "amount" | "bought"): number =>
  shares.reduce((sum, share) => sum + share[part], 0);

/** Step: stores the shares of gifts that plans have split. */
export function storeShares(tx: Tx, shares: readonly (GiftShare & { readonly giftId: string })[]): void {
  if (shares.length === 0) return;
  tx.send(
    `INSERT INTO gift_shares (gift_transaction_id, taker, asset, user_id, amount, bought)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::bigint[])`,
    [
      shares.map(({ giftId }) => giftId),
      shares.map(({ taker }) => taker),
      shares.map(({ asset }) => asset),
      shares.map(({ userId }) => userId),
      shares.map(({ amount }) => amount),
      shares.map(({ bought }) => bought),
    ],
  );
}
