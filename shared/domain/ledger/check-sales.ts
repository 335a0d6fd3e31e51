import { query } from "#shared/db/query.ts";

/** What is sold, and its name in a sentence. */
const names: Record<string, string> = {
  payment_order: "Payment order",
  payment_refund: "Payment refund",
  frame_purchase: "Frame purchase",
};

/**
 * Checks that each order, refund and purchase moved exactly the coins in its row, and that orders fit their payments.
 */
export async function checkSales(): Promise<string[]> {
  return [...(await checkMoved()), ...(await checkOrders()), ...(await checkRefunds())];
}

interface SaleRow {
  type: string;
  id: string;
  said: boolean;
  moved: boolean;
}

/** Checks the entries that the rows call for against the entries in the ledger. */
async function checkMoved(): Promise<string[]> {
  const broken = await query<SaleRow>(
    `WITH said (type, id, entry) AS (
       SELECT 'payment_order', o.id, entry FROM payment_orders o, LATERAL (VALUES
         (o.user_id || ' coin_purchase ' || o.coins), ('issue coin_purchase ' || -o.coins)) AS e (entry)
       WHERE o.kind = 'coins' AND o.status IN ('paid', 'refunded')
       UNION ALL
       SELECT 'payment_refund', r.id, entry
       FROM payment_refunds r JOIN payments p ON p.id = r.payment_id JOIN payment_orders o ON o.id = p.order_id,
         LATERAL (VALUES (o.user_id || ' refund ', r.debt_coins - r.coins), ('debt refund ', -r.debt_coins),
           ('issue refund ', r.coins)) AS e (account, moved), LATERAL (SELECT account || moved AS entry) AS text
       WHERE moved <> 0
       UNION ALL
       SELECT 'frame_purchase', f.id, entry FROM frame_purchases f, LATERAL (VALUES
         (f.user_id || ' frame_purchase ' || -f.price), ('store_revenue frame_purchase ' || f.price)) AS e (entry)
     ), wanted AS (
       SELECT type, id, array_agg(entry ORDER BY entry) AS entries FROM said GROUP BY type, id
     ), moved AS (
       SELECT m.reference_type AS type, m.reference_id AS id,
         array_agg(coalesce(e.user_id::text, e.house) || ' ' || e.type || ' ' || e.amount
           ORDER BY coalesce(e.user_id::text, e.house) || ' ' || e.type || ' ' || e.amount) AS entries
       FROM ledger_movements m LEFT JOIN ledger_entries e ON e.movement_id = m.id
       WHERE m.reference_type IN ('payment_order', 'payment_refund', 'frame_purchase') GROUP BY 1, 2
     )
     SELECT type, id, wanted.entries IS NOT NULL AS said, moved.entries IS NOT NULL AS moved
     FROM wanted FULL JOIN moved USING (type, id)
     WHERE wanted.entries IS DISTINCT FROM moved.entries ORDER BY type, id`,
  );
  return broken.map(({ type, id, said, moved }) => {
    if (!said) return `${names[type]} ${id} calls for no coins, but coins moved for it.`;
    const sale = `${names[type]!.toLowerCase()} ${id}`;
    return moved ? `The coins moved for ${sale} differ from its row.` : `No coins moved for ${sale}.`;
  });
}

/** Checks that an order is paid if one payment of its amount settles it, and refunded if all of that was refunded. */
async function checkOrders(): Promise<string[]> {
  const broken = await query<{ id: string; status: string; amount: number; paid: number | null; back: number | null }>(
    `SELECT o.id, o.status, o.amount, p.amount AS paid, p.refunded_amount AS back
     FROM payment_orders o LEFT JOIN payments p ON p.order_id = o.id AND p.settles
     WHERE (o.status IN ('paid', 'refunded')) <> (p.id IS NOT NULL) OR p.amount <> o.amount
       OR (o.status = 'refunded') <> (coalesce(p.refunded_amount, 0) = o.amount)
     ORDER BY o.id`,
  );
  return broken.map(({ id, status, amount, paid, back }) => {
    const money = paid === null ? "no payment settles it" : `a payment of ${paid} settles it and ${back} were refunded`;
    return `Payment order ${id} of ${amount} is ${status}, but ${money}.`;
  });
}

/** Checks that the refunds of a payment add up to the refunded money, and took the same share of its coins. */
async function checkRefunds(): Promise<string[]> {
  const broken = await query<{ id: string; back: number; refunded: number; coins: number; share: number }>(
    `SELECT p.id, p.refunded_amount AS back, coalesce(sum(r.amount), 0)::bigint AS refunded,
       coalesce(sum(r.coins), 0)::bigint AS coins,
       CASE WHEN p.settles THEN floor(o.coins::numeric * p.refunded_amount / p.amount) ELSE 0 END::bigint AS share
     FROM payments p JOIN payment_orders o ON o.id = p.order_id LEFT JOIN payment_refunds r ON r.payment_id = p.id
     GROUP BY p.id, o.coins
     HAVING p.refunded_amount <> least(coalesce(sum(r.amount), 0), p.amount)
       OR coalesce(sum(r.coins), 0)
         <> CASE WHEN p.settles THEN floor(o.coins::numeric * p.refunded_amount / p.amount) ELSE 0 END
     ORDER BY p.id`,
  );
  return broken.map(
    ({ id, back, refunded, coins, share }) =>
      `Payment ${id} has ${back} refunded and refunds of ${refunded}, which took ${coins} coins instead of ${share}.`,
  );
}
