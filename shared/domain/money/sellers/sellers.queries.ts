import type { Seller, SellerTransfer } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import { debtOf } from "#shared/domain/money/ledger/debts.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** The condition that a transfer, the row `t`, was not reversed. */
const stands = "NOT EXISTS (SELECT 1 FROM seller_reversals r WHERE r.transfer_id = t.id)";

/** Returns how many coins a seller has passed on in the last 24 hours: to all, and to one recipient. */
export async function passedOn(sellerId: string, recipientId: string): Promise<{ all: number; one: number }> {
  const [row] = await query<{ all: number; one: number }>(
    `SELECT coalesce(sum(t.coins), 0)::bigint AS "all",
       coalesce(sum(t.coins) FILTER (WHERE t.recipient_id = $2), 0)::bigint AS one
     FROM seller_transfers t WHERE t.seller_id = $1 AND t.created_at > now() - interval '24 hours' AND ${stands}`,
    [sellerId, recipientId],
  );
  return row!;
}

/** Returns the caller as a seller. @throws NOT_FOUND when they are none */
export async function getSeller(userId: string): Promise<Seller> {
  const [found] = await query<Omit<Seller, "passed_on">>(
    `SELECT s.is_active, s.daily_limit, s.recipient_daily_limit, s.discount_basis_points,
       coalesce((SELECT balance FROM wallets WHERE user_id = s.user_id AND asset = $2), 0)::bigint AS stock,
       ${debtOf("s.user_id", "$2")} AS debt
     FROM sellers s WHERE s.user_id = $1`,
    [userId, stock],
  );
  if (!found) throw new DomainError("NOT_FOUND", "You aren't a coin seller.");
  const { all } = await passedOn(userId, userId);
  const inCoins = { stock: Math.floor(found.stock / stockUnit), debt: Math.ceil(found.debt / stockUnit) };
  return { ...found, ...inCoins, passed_on: all };
}

const side = "(t.seller_id = $1 OR t.recipient_id = $1)";
const transfers = {
  count: `SELECT count(*) FROM seller_transfers t WHERE ${side}`,
  rows: `SELECT t.id, t.seller_id, t.recipient_id, t.coins, r.created_at AS reversed_at, t.created_at
    FROM seller_transfers t
      LEFT JOIN LATERAL (SELECT max(created_at) AS created_at FROM seller_reversals WHERE transfer_id = t.id) r ON true
    WHERE ${side}
    ORDER BY t.created_at DESC, t.id DESC LIMIT $2 OFFSET $3`,
};

/** Returns what a user has passed on as a seller, and got from sellers, newest first. */
export const listTransfers = (userId: string, page: PageQuery): Promise<Page<SellerTransfer>> =>
  queryPage<SellerTransfer>(transfers, [userId], page);
