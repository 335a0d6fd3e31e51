import { type Asset, coins, earnings, stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import type { TransferEntry } from "#shared/domain/money/ledger/transfer.ts";

/** Returns the amount of an order's asset that a coin, or what was earned by one, counts for. */
export const unitOf = (asset: Asset): number => (asset === stock ? stockUnit : 1);

/** Returns the type of an entry that takes coins of an order of this asset from others, or gives them back. */
export const shareType = (asset: Asset): "seller_refund" | "gift_refund" =>
  asset === stock ? "seller_refund" : "gift_refund";

/** What a refund takes. What a reversal gives back is negative. */
interface Moved {
  /** Of the order, in its asset. */
  readonly credit: number;
  readonly debt: number;
  /** From those who got shares of gifts, and coins of a seller; the debts are part of the amounts. */
  readonly coins: { readonly amount: number; readonly debt: number };
  readonly earnings: { readonly amount: number; readonly debt: number };
}

/**
 * Returns the house's side of it. The house takes back earnings that weren't earned, for their coins. What a seller
 * passed on had been exchanged from stock to coins, and is exchanged back. Some of the entries may be of nothing.
 */
export function houseEntries(
  asset: Asset,
  { credit, debt, coins: ofCoins, earnings: unearned }: Moved,
): TransferEntry[] {
  const exchanged = ofCoins.amount + unearned.amount;
  const type = "gift_refund";
  return [
    { account: { house: "debt" }, asset: earnings, amount: -unearned.debt, type },
    { account: { house: "issue" }, asset: earnings, amount: unearned.amount, type },
    { account: { house: "gift_revenue" }, asset: coins, amount: -unearned.amount, type },
    ...(asset === coins
      ? ([
          { account: { house: "debt" }, amount: -debt - ofCoins.debt, type: "refund" },
          { account: { house: "issue" }, amount: credit, type: "refund" },
        ] as const)
      : ([
          { account: { house: "debt" }, asset: coins, amount: -ofCoins.debt, type: "refund" },
          { account: { house: "exchange" }, asset: coins, amount: exchanged, type: "refund" },
          { account: { house: "debt" }, amount: -debt, type: "refund" },
          { account: { house: "exchange" }, amount: -exchanged * unitOf(asset), type: "refund" },
          { account: { house: "payments" }, amount: credit, type: "refund" },
        ] as const)),
  ];
}
