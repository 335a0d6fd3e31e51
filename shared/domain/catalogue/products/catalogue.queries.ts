import type { Category, OrderField } from "#shared/contracts/catalogue-views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { codeState } from "#shared/domain/catalogue/codes/codes.ts";
import type { Page } from "#shared/kernel/page.ts";
import {
  activeGateways,
  type CardServiceRow,
  type GatewayRow,
  instant,
  isShown,
  isSold,
  type ProductRow,
  productColumns,
  publishedReviews,
  type ReviewRow,
  reviewColumns,
  type ServiceRow,
  serviceJson,
  servicesAndCampaigns,
  servicesOfCard,
  servicesOfTopUp,
} from "./catalogue-rows.ts";

export interface TopUpRow extends ProductRow {
  readonly order_information: readonly OrderField[];
  readonly services: readonly ServiceRow[];
}

export interface TopUpDetailsRow extends TopUpRow {
  /** The newest published ones. */
  readonly reviews: readonly ReviewRow[];
  readonly has_ordered: boolean;
  readonly gateways: readonly GatewayRow[];
}

export interface CardRow extends ProductRow {
  readonly sell_count: number;
  readonly trending: number;
}

export interface CardDetailsRow extends CardRow {
  readonly services: readonly CardServiceRow[];
  readonly gateways: readonly GatewayRow[];
}

/** How many records are in a list that the contract doesn't page. */
export const unpagedMax = 1000;
export const topUpsPerPage = 10;
export const reviewsPerPage = 15;

/** Returns all categories. */
export const listCategories = (): Promise<Category[]> =>
  query<Category>(
    `SELECT id, name, icon, type,
       CASE type
         WHEN 'top_up' THEN (SELECT count(*) FROM catalogue_top_ups p WHERE p.category_id = g.id AND ${isShown})
         ELSE (SELECT count(*) FROM catalogue_cards p WHERE p.category_id = g.id AND ${isShown})
       END AS active_children
     FROM catalogue_categories g ORDER BY id LIMIT ${unpagedMax}`,
  );

const inCategory = "($1::integer IS NULL OR p.category_id = $1)";

// Composed once, because they are long.
const pageOfTopUps = {
  count: `SELECT count(*) FROM catalogue_top_ups p WHERE ${isShown} AND ${inCategory}`,
  rows: `SELECT ${productColumns}, p.order_information, ${servicesOfTopUp} AS services
    FROM (
      SELECT * FROM catalogue_top_ups p WHERE ${isShown} AND ${inCategory} ORDER BY p.id LIMIT $2 OFFSET $3
    ) p ORDER BY p.id`,
};
const detailsOfTopUp = `SELECT ${productColumns}, p.order_information, ${servicesOfTopUp} AS services,
    ${activeGateways} AS gateways,
    (SELECT coalesce(json_agg(one), '[]') FROM (
       SELECT ${reviewColumns} FROM ${publishedReviews("p.id", "$2")} ORDER BY r.id DESC LIMIT ${reviewsPerPage}
     ) one) AS reviews,
    EXISTS (
      SELECT 1 FROM catalogue_orders o JOIN catalogue_customers k ON k.id = o.customer_id
      WHERE k.user_id = $2 AND o.top_up_id = p.id AND o.status <> 'cancelled'
    ) AS has_ordered
  FROM catalogue_top_ups p WHERE p.slug = $1 AND ${isShown}`;

/** Returns a page of the active top-ups, with their active services. */
export const listTopUps = (categoryId: number | undefined, page: number): Promise<Page<TopUpRow>> =>
  queryPage<TopUpRow>(pageOfTopUps, [categoryId ?? null], { page, limit: topUpsPerPage });

/** Returns an active top-up as one user sees it. */
export const findTopUp = (slug: string, userId: string): Promise<TopUpDetailsRow | undefined> =>
  queryOne<TopUpDetailsRow>(detailsOfTopUp, [slug, userId]);

/** Returns the active services of active top-ups, or of one of them. */
export async function listServices(topUpId: number | undefined): Promise<ServiceRow[]> {
  const rows = await query<{ service: ServiceRow }>(
    `SELECT ${serviceJson} AS service FROM ${servicesAndCampaigns} JOIN catalogue_top_ups p ON p.id = s.top_up_id
     WHERE ${isSold} AND ${isShown} AND ($1::integer IS NULL OR s.top_up_id = $1)
     ORDER BY s.top_up_id, s.id LIMIT ${unpagedMax}`,
    [topUpId ?? null],
  );
  return rows.map(({ service }) => service);
}

/**
 * Returns a page of the published reviews of an active top-up as one user sees them, newest first; undefined if there
 * is no such top-up.
 */
export async function listReviews(topUpId: number, userId: string, page: number): Promise<Page<ReviewRow> | undefined> {
  const found = await queryOne(`SELECT 1 FROM catalogue_top_ups p WHERE p.id = $1 AND ${isShown}`, [topUpId]);
  if (!found) return undefined;
  return queryPage<ReviewRow>(
    {
      count: "SELECT total_review FROM catalogue_top_ups WHERE id = $1",
      rows: `SELECT ${reviewColumns} FROM ${publishedReviews("$1", "$2")} ORDER BY r.id DESC LIMIT $3 OFFSET $4`,
    },
    [topUpId, userId],
    { page, limit: reviewsPerPage },
    queryAnywhere,
  );
}

/** Returns the active cards, or those of one category. */
export const listCards = (categoryId: number | undefined): Promise<CardRow[]> =>
  query<CardRow>(
    `SELECT ${productColumns}, p.sell_count, p.trending FROM catalogue_cards p
     WHERE ${isShown} AND ${inCategory} ORDER BY p.id LIMIT ${unpagedMax}`,
    [categoryId ?? null],
  );

/** Returns an active card. */
export const findCard = (id: number): Promise<CardDetailsRow | undefined> =>
  queryOne<CardDetailsRow>(
    `SELECT ${productColumns}, p.sell_count, p.trending, ${servicesOfCard} AS services, ${activeGateways} AS gateways
     FROM catalogue_cards p WHERE p.id = $1 AND ${isShown}`,
    [id],
  );

export interface CatalogueOrderRow {
  readonly id: number;
  readonly kind: "top_up" | "card";
  readonly top_up_id: number | null;
  readonly card_id: number | null;
  readonly service_id: number;
  readonly campaign_id: number | null;
  readonly product_name: string;
  readonly service_name: string;
  readonly status: "placed" | "processing" | "completed" | "cancelled";
  readonly reason: string | null;
  readonly delivery: string | null;
  readonly code: "reserved" | "ready" | "shown" | null;
  readonly payment: "postpaid" | "prepaid";
  readonly currency: string;
  readonly price: string;
  readonly discount: string;
  readonly discount_type: "percentage" | "flat";
  readonly discounted_amount: string;
  readonly total: string;
  readonly order_information: { field_name: string; field_value: string; value: string }[] | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Columns of the order `o`: an `OrderRow`. */
const orderColumns = `o.id, CASE WHEN o.card_id IS NULL THEN 'top_up' ELSE 'card' END AS kind, o.top_up_id, o.card_id,
  coalesce(o.service_id, o.card_service_id) AS service_id, o.campaign_id, o.product_name, o.service_name, o.status,
  o.reason, o.delivery, ${codeState} AS code, o.payment, o.currency, trim_scale(o.price) AS price, trim_scale(o.discount) AS discount, o.discount_type,
  trim_scale(o.discounted_amount) AS discounted_amount, trim_scale(o.total) AS total, o.order_information,
  ${instant("o.created_at")} AS created_at, ${instant("o.updated_at")} AS updated_at`;

/** The orders `o` of the user `$1`. */
const ordersOfUser = "catalogue_orders o JOIN catalogue_customers k ON k.id = o.customer_id AND k.user_id = $1";

/** Returns a page of a user's orders, newest first. */
export const listOrders = (userId: string, page: number): Promise<Page<CatalogueOrderRow>> =>
  queryPage<CatalogueOrderRow>(
    {
      count: `SELECT count(*) FROM ${ordersOfUser}`,
      rows: `SELECT ${orderColumns} FROM ${ordersOfUser} ORDER BY o.id DESC LIMIT $2 OFFSET $3`,
    },
    [userId],
    { page, limit: topUpsPerPage },
  );

/** Returns an order of this user. */
export const findOrder = (userId: string, id: number): Promise<CatalogueOrderRow | undefined> =>
  queryOne<CatalogueOrderRow>(`SELECT ${orderColumns} FROM ${ordersOfUser} WHERE o.id = $2`, [userId, id]);
