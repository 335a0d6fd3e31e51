import { query } from "#shared/db/query.ts";
import { type Asset, amountText, fullAmountText, stock, stockUnit } from "./assets.ts";
import { debtOf, notReversed } from "./debts.ts";

/** Checks that orders fit their payments, payments their refunds, and paid debts the purchases and debts. */
export async function checkSales(): Promise<string[]> {
  return [
    ...(await checkOrders()),
    ...(await checkRefunds()),
    ...(await checkGifts()),
    ...(await checkDebts()),
    ...(await checkShareDebts()),
  ];
}

/** Checks that an order is paid if one payment of its amount settles it, and refunded if all of that was refunded. */
async function checkOrders(): Promise<string[]> {
  const broken = await query<{ id: string; status: string; amount: number; paid: number | null; back: number | null }>(
    `SELECT o.id, o.status, o.amount, p.amount AS paid, p.refunded_amount AS back
     FROM payment_orders o LEFT JOIN payments p ON p.order_id = o.id AND p.settles
     WHERE (o.status IN ('paid', 'refunded')) <> (p.id IS NOT NULL) OR p.amount <> o.amount
       OR (o.status = 'refunded') <> (coalesce(p.refunded_amount, 0) = o.amount AND EXISTS
         (SELECT 1 FROM payment_refunds r WHERE r.payment_id = p.id AND ${notReversed}))
     ORDER BY o.id`,
  );
  return broken.map(({ id, status, amount, paid, back }) => {
    const money = paid === null ? "no payment settles it" : `a payment of ${paid} settles it and ${back} were refunded`;
    return `Payment order ${id} of ${amount} is ${status}, but ${money}.`;
  });
}

/** Checks that the refunds of a payment add up to the refunded money, and took the same share of what it credited. */
async function checkRefunds(): Promise<string[]> {
  const broken = await query<{
    id: string;
    back: number;
    refunded: number;
    asset: Asset;
    taken: number;
    share: number;
  }>(
    `SELECT p.id, p.refunded_amount AS back, x.refunded, o.asset, x.taken, s.share::bigint
     FROM payments p JOIN payment_orders o ON o.id = p.order_id
       CROSS JOIN LATERAL (SELECT CASE WHEN p.settles THEN
         coalesce(floor(o.credit::numeric * p.refunded_amount / nullif(p.amount, 0)),
           CASE o.status WHEN 'refunded' THEN o.credit::bigint ELSE 0 END) ELSE 0 END AS share) s
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(r.amount) FILTER (WHERE v.id IS NULL), 0)::bigint AS refunded,
           coalesce(sum(r.credit - coalesce(v.credit, 0)), 0)::bigint AS taken
         FROM payment_refunds r LEFT JOIN payment_refund_reversals v ON v.refund_id = r.id WHERE r.payment_id = p.id
       ) x
     WHERE p.refunded_amount <> least(x.refunded, p.amount) OR x.taken <> s.share
     ORDER BY p.id`,
  );
  return broken.map(
    ({ id, back, refunded, asset, taken, share }) =>
      `Payment ${id} has ${back} refunded and refunds of ${refunded}, which took ${fullAmountText(taken, asset)} instead of ${amountText(share, asset)}.`,
  );
}

/**
 * Checks that refunds take back of a gift or a seller's transfer no more than was bought, and from each user what their
 * shares add up to.
 */
async function checkGifts(): Promise<string[]> {
  const gifts = await query<{ id: string; coins: number; bought: number }>(
    `SELECT g.id, f.coins::bigint, g.bought_coins AS bought
     FROM (SELECT gift_transaction_id AS id, sum(coins - released) AS coins FROM refund_gifts GROUP BY 1) f
       JOIN gift_transactions g USING (id) WHERE f.coins > g.bought_coins ORDER BY g.id`,
  );
  const refunds = await query<{ id: string; shares: number; taken: number }>(
    `SELECT r.id, r.shares, (coalesce(s.amount, 0) * u.unit)::bigint AS taken
     FROM payment_refunds r JOIN payments p ON p.id = r.payment_id JOIN payment_orders o ON o.id = p.order_id
       LEFT JOIN (SELECT refund_id, sum(amount) AS amount FROM refund_shares GROUP BY 1) s ON s.refund_id = r.id
       CROSS JOIN LATERAL (SELECT CASE o.asset WHEN '${stock}' THEN ${stockUnit} ELSE 1 END AS unit) u
     WHERE r.shares <> coalesce(s.amount, 0) * u.unit ORDER BY r.id`,
  );
  const transfers = await query<{ id: string; coins: number; bought: number }>(
    `SELECT t.id, f.coins::bigint, t.bought
     FROM (SELECT transfer_id AS id, sum(coins - released) AS coins FROM refund_transfers GROUP BY 1) f
       JOIN seller_transfers t USING (id) WHERE f.coins > t.bought ORDER BY t.id`,
  );
  return [
    ...gifts.map(
      ({ id, coins, bought }) =>
        `Refunds take back ${coins} coins of gift transaction ${id}, of which ${bought} were bought.`,
    ),
    ...transfers.map(
      ({ id, coins, bought }) =>
        `Refunds take back ${coins} coins of seller transfer ${id}, of which ${bought} were bought.`,
    ),
    ...refunds.map(
      ({ id, shares, taken }) => `Payment refund ${id} says that it took ${shares} of gifts, but it took ${taken}.`,
    ),
  ];
}

/** Checks that no one has paid more for refunded gifts, and with exchanged coins for orders, than they owed. */
async function checkShareDebts(): Promise<string[]> {
  const overpaid = await query<{ user_id: string; asset: Asset; debt: number }>(
    `SELECT * FROM (
       SELECT user_id, asset, ${debtOf("payers.user_id", "payers.asset")} AS debt
       FROM (SELECT DISTINCT user_id, asset FROM share_debt_payments) payers
     ) owed WHERE debt < 0 ORDER BY user_id, asset`,
  );
  return overpaid.map(
    ({ user_id, asset, debt }) =>
      `User ${user_id} has paid ${fullAmountText(-debt, asset)} more for refunded gifts than they owed.`,
  );
}

/** Checks that a debt was paid out of what was bought, and that no one has paid more than they owed. */
async function checkDebts(): Promise<string[]> {
  const unbought = await query<{ id: string; asset: Asset; paid: number; bought: number }>(
    `SELECT d.id, o.asset, d.credit AS paid, CASE WHEN o.paid_at IS NULL THEN 0 ELSE o.credit END AS bought
     FROM debt_payments d JOIN payment_orders o ON o.id = d.order_id
     WHERE o.paid_at IS NULL OR d.credit > o.credit ORDER BY d.id`,
  );
  const overpaid = await query<{ user_id: string; asset: Asset; debt: number }>(
    `SELECT user_id, asset, debt FROM (
       SELECT user_id, asset, ${debtOf("payers.user_id", "payers.asset")} AS debt
       FROM (
         SELECT o.user_id, o.asset FROM debt_payments d JOIN payment_orders o ON o.id = d.order_id
         UNION SELECT t.seller_id, '${stock}' FROM seller_reversals r JOIN seller_transfers t ON t.id = r.transfer_id WHERE r.paid > 0
       ) payers
     ) owed WHERE debt < 0 ORDER BY user_id, asset`,
  );
  return [
    ...unbought.map(
      ({ id, asset, paid, bought }) =>
        `Debt payment ${id} took ${fullAmountText(paid, asset)} of an order that bought ${amountText(bought, asset)}.`,
    ),
    ...overpaid.map(
      ({ user_id, asset, debt }) => `User ${user_id} has paid ${fullAmountText(-debt, asset)} more than they owed.`,
    ),
  ];
}
