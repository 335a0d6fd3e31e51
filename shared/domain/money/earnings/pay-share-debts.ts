import { service } from "#shared/contracts/principal.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { type Asset, coins } from "#shared/domain/money/ledger/assets.ts";
import {
  coinDebtText,
  debtOf,
  lockedDebt,
  shareDebtOf,
  shareDebtPaidBy,
  shareDebtText,
} from "#shared/domain/money/ledger/debts.ts";
import { lockWallets, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";

export const shareDebtsJob = defineJob("earnings.pay_share_debts", {
  retries: 3,
  retryMaxSeconds: 60,
  timeoutSeconds: 300,
  exclusive: true,
});

/**
 * Step: pays what a user owes for refunded gifts with what their balance holds, before they use it otherwise. Locks the
 * balance. Call it before earnings leave it.
 */
export async function payShareDebt(tx: Tx, userId: string, asset: Asset): Promise<void> {
  await lockWallets(tx, [userId], [asset]);
  const [row] = await tx.query<{ amount: number }>(
    `SELECT greatest(0, least(balance, ${debtOf("w.user_id", "w.asset")},
       (${shareDebtOf("w.user_id", "w.asset")} - ${shareDebtPaidBy("w.user_id", "w.asset")})::bigint)) AS amount
     FROM wallets w WHERE w.user_id = $1 AND w.asset = $2`,
    [userId, asset],
  );
  await bookPayment(tx, { userId, asset, amount: row?.amount ?? 0 });
}

/**
 * Step: pays what a user owes in coins, for refunded orders too, with coins that they have just exchanged, so that
 * earnings can't be spent past a debt. Call it after these were credited: the wallet is locked from then on.
 */
export async function payCoinDebt(
  tx: Tx,
  userId: string,
  exchange: { readonly id: string; readonly coins: number },
): Promise<void> {
  const amount = Math.min(await lockedDebt(tx, userId, coins), exchange.coins);
  await bookPayment(tx, { userId, asset: coins, amount, exchangeId: exchange.id });
}

interface DebtPayment {
  readonly userId: string;
  readonly asset: Asset;
  readonly amount: number;
  /** The exchange that gave the coins, if one did. */
  readonly exchangeId?: string;
}

async function bookPayment(tx: Tx, { userId, asset, amount, exchangeId }: DebtPayment): Promise<void> {
  if (amount <= 0) return;
  const id = newId();
  await tx.query(
    "INSERT INTO share_debt_payments (id, user_id, asset, amount, exchange_id) VALUES ($1, $2, $3, $4, $5)",
    [id, userId, asset, amount, exchangeId ?? null],
  );
  const type = exchangeId === undefined ? "gift_refund" : "debt_payment";
  await transfer(tx, {
    asset,
    by: service,
    reference: { type: exchangeId === undefined ? "share_debt_payment" : "coin_debt_payment", id },
    description: exchangeId === undefined ? shareDebtText : coinDebtText,
    entries: [
      { account: { userId }, amount: -amount, type },
      { account: { house: "debt" }, amount, type },
    ],
  });
}

const batchSize = 500;

/** Job: pays the debts of those who have got something since. */
export async function payShareDebts(): Promise<void> {
  for (let after = ["00000000-0000-0000-0000-000000000000", ""]; ; ) {
    const rows = await query<{ user_id: string; asset: Asset }>(
      `SELECT s.user_id, s.asset
       FROM (SELECT DISTINCT user_id, asset FROM refund_shares
         WHERE debt > cancelled AND (user_id, asset) > ($1::uuid, $2::text)
         UNION SELECT recipient_id, 'coins' FROM seller_reversals
         WHERE debt > 0 AND (recipient_id, 'coins') > ($1::uuid, $2::text)) s
         JOIN wallets w ON w.user_id = s.user_id AND w.asset = s.asset AND w.balance > 0
       WHERE ${debtOf("s.user_id", "s.asset")} > 0
         AND ${shareDebtOf("s.user_id", "s.asset")} > ${shareDebtPaidBy("s.user_id", "s.asset")}
       ORDER BY 1, 2 LIMIT $3`,
      [...after, batchSize],
    );
    for (const { user_id, asset } of rows) await inTransaction((tx) => payShareDebt(tx, user_id, asset));
    if (rows.length < batchSize) return;
    const last = rows.at(-1)!;
    after = [last.user_id, last.asset];
  }
}
