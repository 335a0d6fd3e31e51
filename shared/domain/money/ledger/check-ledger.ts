import { query } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { amountText, coins, earnings } from "./assets.ts";
import { checkAdjustments } from "./check-adjustments.ts";
import { checkBought } from "./check-bought.ts";
import { checkCatalogue } from "./check-catalogue.ts";
import { checkCauses } from "./check-causes.ts";
import { checkPayouts } from "./check-payouts.ts";
import { checkSales } from "./check-sales.ts";

/**
 * Recounts all coins and money from the entries, and compares every ledger transaction with what caused it, in one
 * snapshot, so it is exact beside a running service too. Returns a sentence for each difference, naming the row; none
 * when all is well.
 */
export const checkLedger = (): Promise<string[]> => inSnapshot(findDifferences, { isLong: true });

/** The same, as the current transaction sees the ledger. */
export async function findDifferences(): Promise<string[]> {
  return [
    ...(await checkWallets()),
    ...(await checkChains()),
    ...(await checkBought()),
    ...(await checkTransactions()),
    ...(await checkEntries()),
    ...(await checkCauses()),
    ...(await checkSales()),
    ...(await checkAdjustments()),
    ...(await checkCatalogue()),
    ...(await checkPayouts()),
    ...(await checkWhole()),
  ];
}

/** The name of a user's account: of their wallet of coins, of their earnings, or of a balance of money. */
const accountOf = (userId: string, asset: string): string =>
  asset === coins ? `wallet of user ${userId}` : `${asset === earnings ? "earnings" : asset} balance of user ${userId}`;

/** Checks each wallet against its entries, in both directions, and that every user has one of coins. */
async function checkWallets(): Promise<string[]> {
  const wallets = await query<{
    user_id: string;
    asset: string;
    balance: number | null;
    entry_count: number;
    total: number;
    counted: number;
    last: number | null;
  }>(
    `SELECT coalesce(w.user_id, e.user_id) AS user_id, coalesce(w.asset, e.asset) AS asset, w.balance, w.entry_count,
       coalesce(e.total, 0)::bigint AS total, coalesce(e.counted, 0) AS counted, newest.balance_after AS last
     FROM wallets w
     FULL JOIN (
       SELECT user_id, asset, sum(amount) AS total, count(*) AS counted FROM ledger_entries
       WHERE user_id IS NOT NULL GROUP BY user_id, asset
     ) e ON e.user_id = w.user_id AND e.asset = w.asset
     LEFT JOIN ledger_entries newest
       ON newest.user_id = w.user_id AND newest.asset = w.asset AND newest.entry_no = w.entry_count
     WHERE w.user_id IS NULL OR w.balance < 0 OR w.balance <> coalesce(e.total, 0)
       OR w.entry_count <> coalesce(e.counted, 0) OR w.balance <> coalesce(newest.balance_after, 0)
     ORDER BY 1, 2`,
  );
  const users = await query<{ id: string }>(
    `SELECT id FROM users WHERE NOT EXISTS (SELECT 1 FROM wallets WHERE user_id = users.id AND asset = '${coins}')
     ORDER BY id`,
  );
  const differences = users.map(({ id }) => `User ${id} has no wallet.`);
  for (const { user_id, asset, balance, entry_count, total, counted, last } of wallets) {
    const wallet = `The ${accountOf(user_id, asset)}`;
    const of = (amount: number) => amountText(amount, asset);
    if (balance === null) {
      differences.push(`${wallet} does not exist, but has ${counted} entries.`);
      continue;
    }
    if (balance < 0) differences.push(`${wallet} is below zero: ${of(balance)}.`);
    if (balance !== total) differences.push(`${wallet} holds ${of(balance)}, but its entries add up to ${of(total)}.`);
    if (entry_count !== counted) differences.push(`${wallet} has counted ${entry_count} entries, but has ${counted}.`);
    if (balance !== (last ?? 0))
      differences.push(
        `${wallet} holds ${of(balance)}, but its entry ${entry_count} left ${last === null ? "nothing" : of(last)}.`,
      );
  }
  return differences;
}

/** Checks that each entry of a wallet starts from the balance that the one before it left. */
async function checkChains(): Promise<string[]> {
  const broken = await query<{
    id: string;
    user_id: string;
    asset: string;
    entry_no: number;
    position: number;
    amount: number;
    before: number;
    balance_after: number;
  }>(
    `SELECT * FROM (
       SELECT id, user_id, asset, entry_no, amount, balance_after, row_number() OVER wallet AS position,
         lag(balance_after::bigint, 1, 0::bigint) OVER wallet AS before
       FROM ledger_entries WHERE user_id IS NOT NULL WINDOW wallet AS (PARTITION BY user_id, asset ORDER BY entry_no)
     ) chain
     WHERE entry_no <> position OR balance_after <> before + amount
     ORDER BY user_id, asset, entry_no`,
  );
  return broken.map(({ id, user_id, asset, entry_no, position, amount, before, balance_after }) =>
    entry_no !== position
      ? `Entry ${id} of user ${user_id} has number ${entry_no}, but is the wallet's entry ${position}.`
      : `Entry ${id} of user ${user_id} moved ${amountText(amount, asset)} from a balance of ${amountText(before, asset)}, but says it left ${amountText(balance_after, asset)}.`,
  );
}

/**
 * Checks that each ledger transaction has two or more entries, which add up to zero in each asset, and each entry a
 * transaction of about its time: chain and proofs look for it there.
 */
async function checkTransactions(): Promise<string[]> {
  const broken = await query<{
    id: string;
    there: boolean;
    counted: number;
    strayed: boolean;
    totals: string[] | null;
  }>(
    `SELECT id, bool_and(there) AS there, sum(counted) AS counted, bool_or(strayed) AS strayed,
       array_agg(total || CASE asset WHEN '${coins}' THEN '' ELSE ' ' || asset END ORDER BY asset) FILTER (WHERE total <> 0) AS totals
     FROM (SELECT coalesce(m.id, e.movement_id) AS id, m.id IS NOT NULL AS there, e.asset, count(e.id) AS counted,
         bool_or(NOT ids_are_near(e.id, e.movement_id)) AS strayed, coalesce(sum(e.amount), 0) AS total
       FROM ledger_movements m FULL JOIN ledger_entries e ON e.movement_id = m.id GROUP BY 1, 2, 3) of_asset
     GROUP BY id HAVING NOT bool_and(there) OR bool_or(total <> 0) OR sum(counted) < 2 OR bool_or(strayed) ORDER BY id`,
  );
  return broken.flatMap(({ id, there, counted, strayed, totals }) => [
    ...(there ? [] : [`Ledger transaction ${id} does not exist, but has ${counted} entries.`]),
    ...(totals ?? []).map((total) => `The entries of ledger transaction ${id} add up to ${total} instead of zero.`),
    ...(counted >= 2 ? [] : [`Ledger transaction ${id} has ${counted} entries instead of two or more.`]),
    ...(strayed ? [`Entries of ledger transaction ${id} have IDs of another time.`] : []),
  ]);
}

/** Checks that each account has at most one entry of an asset in a ledger transaction. */
async function checkEntries(): Promise<string[]> {
  const doubled = await query<{ id: string; account: string; count: number }>(
    `SELECT movement_id AS id, coalesce(user_id::text, house) AS account, count(*) FROM ledger_entries
     GROUP BY 1, 2, asset HAVING count(*) > 1 ORDER BY 1, 2`,
  );
  return doubled.map(
    ({ id, account, count }) => `Ledger transaction ${id} has ${count} entries for account ${account} instead of one.`,
  );
}

async function checkWhole(): Promise<string[]> {
  const wrong = await query<{ asset: string; total: number }>(
    "SELECT asset, sum(amount)::bigint AS total FROM ledger_entries GROUP BY asset HAVING sum(amount) <> 0 ORDER BY asset",
  );
  return wrong.map(({ asset, total }) => `The whole ledger adds up to ${amountText(total, asset)} instead of zero.`);
}
