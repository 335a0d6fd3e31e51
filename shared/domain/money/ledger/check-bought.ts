import { query } from "#shared/db/query.ts";

/**
 * Checks which of all coins were bought: those of each wallet against its entries, that ledger transactions neither
 * make nor lose any, and that gifts earn no more than was bought.
 */
export async function checkBought(): Promise<string[]> {
  return [...(await checkWallets()), ...(await checkTransactions()), ...(await checkShares())];
}

/**
 * Entries of a release that doesn't know bought coins move none. Where its transactions leave a wallet with less than
 * was bought, all that is left was bought: the smallest difference between a balance and the sum of what was bought
 * until then counts from there on.
 */
async function checkWallets(): Promise<string[]> {
  const broken = await query<{ user_id: string; bought: number; counted: number }>(
    `SELECT w.user_id, w.bought, coalesce(c.counted, 0)::bigint AS counted
     FROM (SELECT user_id, balance, bought FROM wallets WHERE asset = 'coins') w LEFT JOIN (
       SELECT user_id, sum(bought) + least(0, min(room) FILTER (WHERE ends)) AS counted FROM (
         SELECT user_id, bought, balance_after - sum(bought) OVER wallet AS room,
           lead(created_at) OVER wallet IS DISTINCT FROM created_at AS ends
         FROM ledger_entries WHERE user_id IS NOT NULL AND asset = 'coins'
         WINDOW wallet AS (PARTITION BY user_id ORDER BY entry_no)
       ) entries GROUP BY user_id
     ) c ON c.user_id = w.user_id
     WHERE w.bought <> coalesce(c.counted, 0) OR w.bought NOT BETWEEN 0 AND w.balance
     ORDER BY w.user_id`,
  );
  return broken.map(
    ({ user_id, bought, counted }) =>
      `The wallet of user ${user_id} says that ${bought} of its coins were bought, but by its entries it is ${counted}.`,
  );
}

async function checkTransactions(): Promise<string[]> {
  const broken = await query<{ id: string; total: number }>(
    `SELECT movement_id AS id, sum(bought)::bigint AS total FROM ledger_entries
     GROUP BY movement_id HAVING sum(bought) <> 0 ORDER BY 1`,
  );
  return broken.map(
    ({ id, total }) => `The bought coins of ledger transaction ${id} add up to ${total} instead of zero.`,
  );
}

/** Checks that what users get of a gift fits its price, and that what earns was bought. */
async function checkShares(): Promise<string[]> {
  const broken = await query<{ id: string; shared: number; total: number; earning: number; bought: number }>(
    `SELECT g.id, s.shared::bigint, g.total_coins AS total, s.earning::bigint, g.bought_coins AS bought
     FROM gift_transactions g JOIN (
       SELECT gift_transaction_id AS id, sum(amount) AS shared,
         sum(CASE asset WHEN 'earnings' THEN amount ELSE bought END) AS earning,
         coalesce(sum(amount) FILTER (WHERE asset = 'coins' AND taker = 'receiver'), 0) AS received
       FROM gift_shares GROUP BY 1
     ) s ON s.id = g.id
     WHERE g.plan_id IS NULL OR s.shared > g.total_coins OR s.earning > g.bought_coins
       OR s.received <> g.recipient_coins
     ORDER BY g.id`,
  );
  return broken.map(
    ({ id, shared, total, earning, bought }) =>
      `Gift transaction ${id} of ${total} coins, ${bought} of them bought, has shares of ${shared}, ${earning} of them of bought coins, which its row doesn't allow.`,
  );
}
