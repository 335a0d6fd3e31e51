import { query } from "#shared/db/query.ts";
import { amountText } from "./assets.ts";

/**
 * Checks that each prepaid order of the catalogue was paid its total, that others were not paid, and that the payments
 * of cancelled orders, and only of those, were refunded.
 */
export async function checkCatalogue(): Promise<string[]> {
  const broken = await query<{
    id: number;
    payment: string;
    status: string;
    currency: string;
    total: string;
    paid: number;
    refunded: number;
  }>(
    `SELECT * FROM (
       SELECT o.id, o.payment, o.status, o.currency, trim_scale(o.total) AS total,
         coalesce(p.amount, 0)::bigint AS paid, coalesce(r.amount, 0)::bigint AS refunded
       FROM catalogue_orders o
         LEFT JOIN catalogue_payments p ON p.order_id = o.id AND p.kind = 'payment'
         LEFT JOIN catalogue_payments r ON r.order_id = o.id AND r.kind = 'refund'
     ) orders
     WHERE paid <> CASE payment WHEN 'prepaid' THEN total * 10000 ELSE 0 END
       OR refunded <> CASE status WHEN 'cancelled' THEN paid ELSE 0 END
     ORDER BY id`,
  );
  return broken.map(
    ({ id, payment, status, currency, total, paid, refunded }) =>
      `Catalogue order ${id} of ${total} ${currency} is ${payment} and ${status}, but ${amountText(paid, currency)} were paid and ${amountText(refunded, currency)} refunded.`,
  );
}
