import type { EarningsBalance, EarningsEntry } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { earnings } from "#shared/domain/money/ledger/assets.ts";
import { debtOf } from "#shared/domain/money/ledger/debts.ts";
import { type EntryFilter, listEntriesOf } from "#shared/domain/money/ledger/ledger.queries.ts";
import type { Page } from "#shared/kernel/page.ts";

interface Earned {
  readonly balance: number;
  readonly maturing: number;
  readonly debt: number;
  readonly available: number;
}

/**
 * Returns a user's earnings, how many of them are maturing, what they owe, and what is left of the matured ones. Those
 * that they got in the last `earnings_maturing_days` are maturing. What they exchange is taken from the others, which
 * came first, and what a payout gave back had matured. Computed from the ledger, so that nothing has to happen when
 * earnings have matured.
 */
export async function readEarnings(userId: string): Promise<Earned> {
  const row = await queryOne<Omit<Earned, "available">>(
    `SELECT w.balance, least(w.balance, (
       SELECT coalesce(sum(e.amount), 0) FROM ledger_entries e
       WHERE e.user_id = w.user_id AND e.asset = w.asset AND e.amount > 0 AND e.type <> 'payout' AND e.entry_no > coalesce((
         SELECT entry_no FROM ledger_entries WHERE user_id = w.user_id AND asset = w.asset
           AND created_at <= now() - $3 * interval '1 day' ORDER BY entry_no DESC LIMIT 1), 0)
     ))::bigint AS maturing, ${debtOf("w.user_id", "w.asset")} AS debt
     FROM wallets w WHERE w.user_id = $1 AND w.asset = $2`,
    [userId, earnings, setting("earnings_maturing_days")],
  );
  const { balance, maturing, debt } = row ?? { balance: 0, maturing: 0, debt: 0 };
  return { balance, maturing, debt, available: Math.max(0, balance - maturing - debt) };
}

/** Returns a user's earnings, and what they can exchange. */
export async function getEarnings(userId: string): Promise<EarningsBalance> {
  return {
    name: setting("earnings_name"),
    ...(await readEarnings(userId)),
    maturing_days: setting("earnings_maturing_days"),
    exchange_rate: setting("earnings_exchange_rate"),
    exchange_min: setting("earnings_exchange_min"),
    exchange_daily_max: setting("earnings_exchange_daily_max"),
  };
}

/** Returns the ledger entries of a user's earnings, newest first. */
export const listEarnings = (userId: string, filter: EntryFilter<EarningsEntry>): Promise<Page<EarningsEntry>> =>
  listEntriesOf<EarningsEntry>(userId, earnings, filter);
