import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Receipt, ReceiptNote } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { OrderModel } from "./order.model.ts";
import { noReceipt, noSuchOrder } from "./payments.errors.ts";
import { receiptLink } from "./receipt-link.ts";

const columns = `r.number, r.kind, r.seller_name, r.seller_address, r.seller_tax_id, r.country, r.tax_rate, r.net, r.tax,
  r.gross, r.currency, r.created_at`;

/** Returns an order's receipt and the notes of its refunds, in their order, each with a new link to its page. */
export async function receiptsOf(orderId: string): Promise<ReceiptNote[]> {
  const rows = await query<ReceiptNote & { id: string }>(
    `SELECT r.id, ${columns} FROM receipts r WHERE r.order_id = $1 ORDER BY r.id`,
    [orderId],
  );
  return rows.map(({ id, ...note }) => ({ ...note, page_url: receiptLink(id) }));
}

/**
 * Returns the receipt of an order of the caller.
 * @throws NOT_FOUND, also for another user's order
 */
export async function accessReceipt(caller: UserPrincipal, orderId: string): Promise<Receipt> {
  const order = await OrderModel.read({ id: orderId, user_id: caller.userId }, ["title"]);
  if (!order) throw noSuchOrder();
  const [receipt, ...notes] = await receiptsOf(orderId);
  if (!receipt) throw noReceipt();
  return { ...receipt, order_id: orderId, title: order.title, notes };
}

/** What the page of a receipt or a note says. */
export interface PrintedReceipt extends Omit<ReceiptNote, "page_url"> {
  readonly title: string;
  readonly order_id: string;
  /** The receipt that a note changes; its own number if it is one. */
  readonly receipt_number: string;
  /** Null once the account is erased: the receipt stays, without a name. */
  readonly buyer: string | null;
}

/** Returns a receipt or a note by its ID, which its link has proven. */
export const findReceipt = (id: string): Promise<PrintedReceipt | undefined> =>
  queryOne<PrintedReceipt>(
    `SELECT ${columns}, o.title, r.order_id, f.number AS receipt_number,
       CASE WHEN u.status <> 'deleted' THEN u.full_name || ' (@' || u.username || ')' END AS buyer
     FROM receipts r JOIN payment_orders o ON o.id = r.order_id JOIN users u ON u.id = o.user_id
       JOIN receipts f ON f.order_id = r.order_id AND f.kind = 'receipt'
     WHERE r.id = $1`,
    [id],
  );
