import { providerNames } from "#shared/contracts/views.ts";
import { queryColumn } from "#shared/db/query.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { foundOfKindMax } from "./kinds.ts";

/**
 * Returns the IDs of the orders that a text is about, at most `foundOfKindMax` of each: the number of a receipt or a
 * note; a provider's ID of an order, a payment, a refund, a dispute, or a subscription; the buyer's email address or
 * username; or what was paid and in which minute (UTC), such as `499.00 INR 2026-01-31 12:05`.
 */
export async function findOrders(text: string): Promise<string[]> {
  const found = await Promise.all([ordersOfProvider(text), ordersOfUser(text.toLowerCase()), ordersOfSum(text)]);
  return [...new Set(found.flat())];
}

const ordersOfProvider = (id: string): Promise<string[]> =>
  queryColumn(
    `SELECT id FROM payment_orders WHERE provider = ANY ($2) AND provider_order_id = $1
     UNION SELECT order_id FROM receipts WHERE number = $1
     UNION SELECT order_id FROM payments WHERE provider = ANY ($2) AND provider_payment_id = $1
     UNION SELECT p.order_id FROM payment_refunds r JOIN payments p ON p.id = r.payment_id
       WHERE r.provider = ANY ($2) AND r.provider_refund_id = $1
     UNION (SELECT p.order_id FROM subscriptions s JOIN store_purchases p ON p.subscription_id = s.id
       WHERE s.provider = ANY ($2) AND s.provider_subscription_id = $1 AND p.order_id IS NOT NULL
       ORDER BY p.order_id DESC LIMIT ${foundOfKindMax})`,
    [id, providerNames],
  );

const ordersOfUser = (named: string): Promise<string[]> =>
  queryColumn(
    `SELECT o.id FROM users u JOIN payment_orders o ON o.user_id = u.id
     WHERE ${named.includes("@") ? "u.email" : "u.username"} = $1 ORDER BY o.id DESC LIMIT ${foundOfKindMax}`,
    [named],
  );

const sumAndMinute = /^(\d{1,12})(?:\.(\d{1,3}))? ?([A-Za-z]{3}) (\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})$/;
/** An order is paid within this time of being made, or its payment was late, which its user knows. */
const beforeMs = 35 * 60_000;
/** Clocks differ. */
const afterMs = 2 * 60_000;

async function ordersOfSum(text: string): Promise<string[]> {
  const [, whole, fraction = "", code = "", day, minute] = sumAndMinute.exec(text) ?? [];
  const time = Date.parse(`${day}T${minute}:00.000Z`);
  if (!whole || Number.isNaN(time)) return [];
  const currency = code.toUpperCase();
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  if (fraction.length > decimals) return [];
  return queryColumn(
    `SELECT id FROM payment_orders WHERE id >= $1 AND id < $2 AND amount = $3 AND currency = $4
     ORDER BY (status IN ('paid', 'refunded')) DESC, id DESC LIMIT ${foundOfKindMax}`,
    [
      firstIdAt(Math.max(0, time - beforeMs)),
      firstIdAt(Math.max(0, time + afterMs)),
      `${whole}${fraction.padEnd(decimals, "0")}`,
      currency,
    ],
  );
}
