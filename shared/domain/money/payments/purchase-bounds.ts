import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { PurchaseLimits } from "#shared/contracts/views.ts";
import { observeCount } from "#shared/db/observe-count.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { notReversed } from "#shared/domain/money/ledger/debts.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { OrderModel } from "./order.model.ts";

/** What keeps a user from buying, and until when. */
interface Excess {
  readonly bound: "refunds" | "daily_sum";
  readonly until: string;
  /** Seconds until then. */
  readonly wait: number;
}

const cleared = "coalesce((SELECT cleared_at FROM purchase_clearances c WHERE c.user_id = $1), '-infinity')";
const excess = (until: string) =>
  `to_char((${until}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS until,
   greatest(1, ceil(extract(epoch FROM (${until}) - now())))::integer AS wait`;

/** Returns the bound of refunds that a user exceeds: until the refund that reached it is old enough. */
async function refundsExceeded(userId: string): Promise<Excess | undefined> {
  const [max, days] = [setting("purchase_refunds_max"), setting("purchase_refund_days")];
  if (max === 0) return undefined;
  const [found] = await query<Omit<Excess, "bound">>(
    `SELECT ${excess("r.created_at + $2 * interval '1 day'")}
     FROM payment_orders o JOIN payments p ON p.order_id = o.id JOIN payment_refunds r ON r.payment_id = p.id
     WHERE o.user_id = $1 AND r.created_at > greatest(now() - $2 * interval '1 day', ${cleared}) AND ${notReversed}
     ORDER BY r.created_at DESC LIMIT 1 OFFSET $3`,
    [userId, days, max - 1],
  );
  return found && { ...found, bound: "refunds" };
}

/**
 * Returns whether a new account would spend more in 24 hours than it may, with orders that wait for their payment:
 * until the oldest of them no longer counts, or the account isn't new.
 */
async function sumExceeded(userId: string, amount: number, currency: string): Promise<Excess | undefined> {
  const limit = setting("new_account_daily_purchases").find((one) => one.startsWith(`${currency}:`));
  if (setting("new_account_days") === 0 || !limit) return undefined;
  const [found] = await query<Omit<Excess, "bound">>(
    `SELECT ${excess("least(u.created_at + $2 * interval '1 day', min(at) + interval '1 day')")}
     FROM users u LEFT JOIN LATERAL (
       SELECT o.amount, coalesce(o.paid_at, o.created_at) AS at FROM payment_orders o
       WHERE o.user_id = u.id AND o.currency = $3 AND coalesce(o.paid_at, o.created_at) > greatest(now() - interval '1 day', ${cleared})
         AND (o.paid_at IS NOT NULL OR o.status = 'created' AND o.expires_at > now())
     ) counted ON true
     WHERE u.id = $1 AND u.created_at > now() - $2 * interval '1 day'
     GROUP BY u.created_at HAVING coalesce(sum(counted.amount), 0) + $4 > $5`,
    [userId, setting("new_account_days"), currency, amount, Number(limit.slice(4))],
  );
  return found && { ...found, bound: "daily_sum" };
}

/**
 * Step: asserts that the settings let a user buy for this amount. The user's orders wait for each other meanwhile.
 * @throws PURCHASE_LIMITED, which says until when
 */
export async function assertMayPurchase(
  userId: string,
  { amount, currency }: { readonly amount: number; readonly currency: string },
): Promise<void> {
  const found = (await refundsExceeded(userId)) ?? (await sumExceeded(userId, amount, currency));
  if (!found) return;
  const { bound, until, wait } = found;
  const more = { values: { until }, retryAfter: wait };
  throw bound === "refunds"
    ? new DomainError(
        "PURCHASE_LIMITED",
        "Too many of your purchases were refunded. You can buy again at {{until}}.",
        more,
      )
    : new DomainError(
        "PURCHASE_LIMITED",
        "New accounts can't spend more in a day. You can buy this at {{until}}.",
        more,
      );
}

/** Step: flags a paid order that exceeds a bound although its money was taken, by a store or after it had expired. */
export async function flagExcess(
  tx: Tx,
  { id, user_id, currency }: { readonly id: string; readonly user_id: string; readonly currency: string },
): Promise<void> {
  const found = (await refundsExceeded(user_id)) ?? (await sumExceeded(user_id, 0, currency));
  if (!found) return;
  await OrderModel.change(tx, { id }, { flag: found.bound });
  logger.error({ orderId: id, userId: user_id, bound: found.bound }, "a purchase exceeds a bound, but it was paid");
}

/** Returns what bounds a user's purchases now. @throws NOT_FOUND */
export async function purchaseLimits(userId: string): Promise<PurchaseLimits> {
  if (!(await User.read({ id: userId }, ["id"]))) throw new DomainError("NOT_FOUND");
  const refunds = await refundsExceeded(userId);
  const spent = await Promise.all(
    setting("new_account_daily_purchases").map(async (entry) => {
      const currency = entry.slice(0, 3);
      return (await sumExceeded(userId, 1, currency)) && currency;
    }),
  );
  const [row] = await query<{ cleared_at: string }>("SELECT cleared_at FROM purchase_clearances WHERE user_id = $1", [
    userId,
  ]);
  return {
    blocked_until: refunds?.until ?? null,
    spent_currencies: spent.filter((currency) => currency !== undefined),
    cleared_at: row?.cleared_at ?? null,
  };
}

/**
 * Lifts what bounds a user's purchases: refunds, purchases, and bought coins of before no longer count.
 * @throws NOT_FOUND
 */
export async function clearPurchases(caller: AdminPrincipal, userId: string, reason: string): Promise<PurchaseLimits> {
  const before = await purchaseLimits(userId);
  await inTransaction(async (tx) => {
    await tx.query(
      `INSERT INTO purchase_clearances (user_id) VALUES ($1)
       ON CONFLICT (user_id) DO UPDATE SET cleared_at = now()`,
      [userId],
    );
    await tx.audit(caller, {
      action: "user.clear_purchases",
      target: { type: "user", id: userId },
      before: { blocked_until: before.blocked_until },
      after: { blocked_until: null },
      reason,
    });
  });
  return purchaseLimits(userId);
}

/** Orders that exceed a bound, until they are refunded or an administrator lifts what bounds their user's purchases. */
const flagged = `SELECT count(*) AS n FROM (
  SELECT 1 FROM payment_orders o LEFT JOIN purchase_clearances c ON c.user_id = o.user_id
  WHERE o.flag IS NOT NULL AND o.status = 'paid' AND o.paid_at > coalesce(c.cleared_at, '-infinity') LIMIT 1000) AS flagged`;

/** Counts the orders that an administrator has to look at because they exceed a bound, at most 1,000. */
export const countFlaggedOrders = async (): Promise<number> => (await queryOne<{ n: number }>(flagged))!.n;

/** Counts them for the metrics. */
export const observeFlaggedOrders = (): Promise<void> => observeCount(metrics.flaggedOrders, flagged);
