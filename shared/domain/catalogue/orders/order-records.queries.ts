import type { CatalogueOrderItem, CatalogueOrderRecord, CodeStock } from "#shared/contracts/catalogue-admin-views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { queryOne } from "#shared/db/query.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { codeState } from "#shared/domain/catalogue/codes/codes.ts";
import { isShown, isSold } from "#shared/domain/catalogue/products/catalogue-rows.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

/** What administrators read of orders, and of the stock of codes. */

const orders: FilteredList = {
  columns: `o.id, o.version, k.user_id, o.top_up_id, o.card_id, coalesce(o.service_id, o.card_service_id) AS service_id,
    o.campaign_id, o.product_name, o.service_name, o.status, o.reason, o.delivery, ${codeState} AS code, o.payment,
    o.currency, trim_scale(o.price)::text AS price, trim_scale(o.discounted_amount)::text AS discounted_amount,
    trim_scale(o.total)::text AS total, o.provider, o.tries, o.problem, o.next_try_at, o.created_at, o.updated_at,
    o.completed_at`,
  from: "catalogue_orders o",
  id: "o.id",
  idType: "integer",
  joins: "JOIN catalogue_customers k ON k.id = o.customer_id",
  filters: {
    status: "o.status = ?",
    user_id: "o.customer_id = (SELECT id FROM catalogue_customers WHERE user_id = ?)",
    top_up_id: "o.top_up_id = ?",
    card_id: "o.card_id = ?",
    has_problem: "?::boolean AND o.problem IS NOT NULL",
    from: "o.created_at >= ?",
    to: "o.created_at < ?",
  },
  sorts: { created_at: "o.id" },
};

/** Returns a page of all orders. */
export const listOrderRecords = (filter: ListFilter, page: PageQuery) =>
  listFiltered<CatalogueOrderItem>(orders, filter, page);
export const readOrderRecords = (filter: ListFilter) => readFiltered<CatalogueOrderItem>(orders, filter);

/** @throws NOT_FOUND */
export async function getOrderRecord(id: number): Promise<CatalogueOrderRecord> {
  const { columns, from, joins } = orders;
  const found = await queryOne<CatalogueOrderRecord>(
    `SELECT ${columns}, coalesce(o.order_information, '[]') AS order_information FROM ${from} ${joins} WHERE o.id = $1`,
    [id],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

/** Up to how many codes are counted. */
const countMax = 10_000;
const counted = (condition: string, most: number | string) =>
  `(SELECT count(*) FROM (SELECT 1 FROM catalogue_codes c WHERE c.service_id = s.id AND ${condition} LIMIT ${most}) n)`;

const stock: FilteredList = {
  columns: `s.id, s.card_id, p.name AS card_name, s.name AS service_name, ${isSold} AND ${isShown} AS is_active,
    ${counted("c.order_id IS NULL", countMax)} AS available,
    (SELECT count(*) FROM catalogue_orders o JOIN catalogue_codes c ON c.order_id = o.id
     WHERE o.status IN ('placed', 'processing') AND o.card_service_id = s.id) AS reserved`,
  from: "catalogue_card_services s",
  id: "s.id",
  idType: "integer",
  joins: "JOIN catalogue_cards p ON p.id = s.card_id",
  filters: { card_id: "s.card_id = ?", below: `${counted("c.order_id IS NULL", "?::integer")} < ?::integer` },
  sorts: { id: "s.id" },
};

/** Returns a page of the services of cards, with their stock of codes. With `low`, those with few codes. */
export async function listStock({ low, ...filter }: ListFilter & { low?: boolean }, page: PageQuery) {
  const below = setting("catalogue_low_stock");
  const listed = await listFiltered<Omit<CodeStock, "is_low">>(stock, { ...filter, ...(low && { below }) }, page);
  return { ...listed, items: listed.items.map((item): CodeStock => ({ ...item, is_low: item.available < below })) };
}
