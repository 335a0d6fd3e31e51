import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { EarningsExchange } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { coins, earnings } from "#shared/domain/money/ledger/assets.ts";
import { lockWallets, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { exchangeClosed, exchangedEnough, notAvailable, tooFew } from "./earnings.errors.ts";
import { readEarnings } from "./earnings.queries.ts";
import { payCoinDebt, payShareDebt } from "./pay-share-debts.ts";

/**
 * Exchanges earnings that have matured to coins, at the rate of the settings, rounded down. The coins count as granted:
 * what has earned once doesn't earn again. They pay what the user owes in coins first.
 * @throws FORBIDDEN (the settings allow no exchange), VALIDATION_ERROR (fewer than the settings allow, or than a coin
 *   costs), INSUFFICIENT_BALANCE, RATE_LIMITED (more than the settings allow in 24 hours), IDEMPOTENCY_CONFLICT
 */
export const exchangeEarnings = (
  caller: UserPrincipal,
  amount: number,
  idempotency?: IdempotentCall,
): Promise<EarningsExchange> =>
  inTransaction(async (tx) => {
    const { userId } = caller;
    const rate = setting("earnings_exchange_rate");
    if (rate === 0) throw exchangeClosed();
    const least = Math.max(setting("earnings_exchange_min"), Math.ceil(10_000 / rate));
    if (amount < least) throw tooFew(least);
    await lockWallets(tx, [userId], [coins, earnings]);
    await payShareDebt(tx, userId, earnings);
    const { available } = await readEarnings(userId);
    if (amount > available) throw notAvailable(available);
    await assertBelowDailyMax(tx, userId, amount);

    const id = newId();
    const exchanged = Number((BigInt(amount) * BigInt(rate)) / 10_000n);
    const [row] = await tx.query<{ created_at: string }>(
      "INSERT INTO earnings_exchanges (id, user_id, earnings, coins, rate) VALUES ($1, $2, $3, $4, $5) RETURNING created_at",
      [id, userId, amount, exchanged, rate],
    );
    const type = "earnings_exchange";
    await transfer(tx, {
      by: caller,
      reference: { type, id },
      description: "Exchange",
      entries: [
        { account: { userId }, asset: earnings, amount: -amount, type },
        { account: { house: "exchange" }, asset: earnings, amount, type },
        { account: { userId }, amount: exchanged, type },
        { account: { house: "exchange" }, amount: -exchanged, type },
      ],
    });
    await payCoinDebt(tx, userId, { id, coins: exchanged });
    return { id, amount, coins: exchanged, exchange_rate: rate, created_at: row!.created_at };
  }, idempotency);

async function assertBelowDailyMax(tx: Tx, userId: string, amount: number): Promise<void> {
  const most = setting("earnings_exchange_daily_max");
  if (most === 0) return;
  const [day] = await tx.query<{ exchanged: number; wait: number | null }>(
    `SELECT coalesce(sum(earnings), 0)::bigint AS exchanged,
       ceil(extract(epoch FROM min(created_at) + interval '1 day' - now()))::integer AS wait
     FROM earnings_exchanges WHERE user_id = $1 AND created_at > now() - interval '1 day'`,
    [userId],
  );
  if (day!.exchanged + amount > most) throw exchangedEnough(most, Math.max(1, day!.wait ?? 86_400));
}
