import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { coins, earnings, stock } from "#shared/domain/money/ledger/assets.ts";
import { lockWallets } from "#shared/domain/money/ledger/transfer.ts";
import { type Charge, followCoins, type Taken } from "./follow-coins.ts";
import { followStock } from "./follow-stock.ts";
import type { LockedOrder } from "./settle-payment.ts";

export const nothing: Taken = { held: 0, debt: 0, shares: [], gifts: new Map(), transfers: [] };

export const sumOf = (charges: readonly Charge[], part: "amount" | "debt", asset?: string): number =>
  charges.reduce((sum, charge) => sum + (asset === undefined || charge.asset === asset ? charge[part] : 0), 0);

/** Step: locks the wallets, and splits the share into what they hold and the rest. */
export async function whatToTake(tx: Tx, order: LockedOrder, share: number): Promise<Taken> {
  const { user_id: userId, asset } = order;
  if ((asset === coins || asset === stock) && setting("refund_clawback") === "shares")
    return followShare(tx, order, share);
  const wallets = await lockWallets(tx, [userId], [asset]);
  const held = Math.min(share, wallets.values().next().value!.balance);
  return { ...nothing, held, debt: share - held };
}

/** Locks the balances of all whom the coins may concern, in one order, and looks again until these are all. */
async function followShare(tx: Tx, order: LockedOrder, share: number): Promise<Taken> {
  const { id, user_id: userId, asset } = order;
  const [lot] = await tx.query<{ transactionId: string; bought: number }>(
    `SELECT m.id AS "transactionId", o.bought FROM payment_orders o
       JOIN ledger_movements m ON m.reference_type = 'payment_order' AND m.reference_id = o.id WHERE o.id = $1`,
    [id],
  );
  const locked = new Set<string>();
  for (;;) {
    const taken = asset === stock ? await followStock(userId, lot!, share) : await followPurchase(order, lot!, share);
    const users = [userId, ...taken.shares.map((one) => one.userId)].filter((user) => !locked.has(user));
    if (users.length === 0) return taken;
    await lockWallets(tx, users, [...new Set([asset, coins, earnings])]);
    for (const user of users) locked.add(user);
  }
}

async function followPurchase(
  { user_id: userId, credit }: LockedOrder,
  lot: { readonly transactionId: string; readonly bought: number },
  share: number,
): Promise<Taken> {
  const bought = Number((BigInt(lot.bought) * BigInt(share)) / BigInt(credit));
  const { charges, gifts } = await followCoins([{ userId, amount: share, bought, transactionId: lot.transactionId }]);
  const own = charges.find((charge) => charge.userId === userId && charge.asset === coins);
  const { amount, debt } = own ?? { amount: 0, debt: 0 };
  return { ...nothing, held: amount - debt, debt, shares: charges.filter((charge) => charge !== own), gifts };
}

/** Step: records what was followed, and what was taken from whom. */
export async function storeTaken(tx: Tx, refundId: string, { gifts, shares, transfers }: Taken): Promise<void> {
  if (gifts.size > 0)
    await tx.query(
      `INSERT INTO refund_gifts (refund_id, gift_transaction_id, coins)
       SELECT $1, * FROM unnest($2::uuid[], $3::bigint[])`,
      [refundId, [...gifts.keys()], [...gifts.values()]],
    );
  if (transfers.length > 0)
    await tx.query(
      `INSERT INTO refund_transfers (refund_id, transfer_id, coins, taken)
       SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[])`,
      [refundId, transfers.map(({ id }) => id), transfers.map((one) => one.coins), transfers.map(({ taken }) => taken)],
    );
  if (shares.length > 0)
    await tx.query(
      `INSERT INTO refund_shares (refund_id, user_id, asset, amount, debt)
       SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[])`,
      [
        refundId,
        shares.map(({ userId }) => userId),
        shares.map(({ asset }) => asset),
        shares.map(({ amount }) => amount),
        shares.map(({ debt }) => debt),
      ],
    );
}
