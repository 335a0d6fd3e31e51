/** SQL that the queries of the catalogue share, and the rows it returns. */

/** A time as the contract writes it: ISO 8601 in UTC, with microseconds. */
export const instant = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const times = (row: string): string =>
  `'created_at', ${instant(`${row}.created_at`)}, 'updated_at', ${instant(`${row}.updated_at`)}`;

/** Whether the campaign `c` runs now. */
export const isRunning =
  "c.starts_at <= now() AND c.ends_at > now() AND c.ended_at IS NULL AND c.offered_sell < c.max_sell";

/** Numerics as text, exact, without trailing zeros. */
const priceMembers = (row: string): string =>
  `'price', trim_scale(${row}.price)::text, 'discount', trim_scale(${row}.discount)::text,
   'discount_type', ${row}.discount_type`;

const serviceMembers = `'id', s.id, 'name', s.name, 'image_url', s.image_url, 'currency', s.currency,
  ${priceMembers("s")}, 'status', s.status, 'sort_by', s.sort_by, ${times("s")}`;

interface PricedRow {
  readonly price: string;
  readonly discount: string;
  readonly discount_type: "percentage" | "flat";
}

interface CommonServiceRow extends PricedRow {
  readonly id: number;
  readonly name: string;
  readonly image_url: string;
  readonly currency: string;
  readonly status: number;
  readonly sort_by: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ServiceRow extends CommonServiceRow {
  readonly top_up_id: number;
  /** The campaign that runs. */
  readonly campaign:
    | (PricedRow & { readonly id: number; readonly max_sell: number; readonly offered_sell: number })
    | null;
}

export interface CardServiceRow extends CommonServiceRow {
  readonly card_id: number;
}

/** The service `s` as JSON, with the campaign that runs: a `ServiceRow`. */
export const serviceJson = `json_build_object(${serviceMembers}, 'top_up_id', s.top_up_id, 'campaign',
  CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, ${priceMembers("c")}, 'max_sell', c.max_sell,
    'offered_sell', c.offered_sell) END)`;

/** The services `s`, each with the campaign `c` that runs, if any. */
export const servicesAndCampaigns = `catalogue_services s
  LEFT JOIN catalogue_campaigns c ON c.service_id = s.id AND ${isRunning}`;

/** Whether the service `s` is sold. */
export const isSold = "s.status = 1 AND s.retired_at IS NULL";

/** How many services of one product are shown. */
const servicesMax = 200;

/** How the services of the product `p` are sorted: by price if it says so, else by date. */
const serviceOrder = (price: string): string => `CASE WHEN p.sort_by = 2 THEN ${price} END, s.id`;

/** Selects the active services of the top-up `p`, as a JSON array. */
export const servicesOfTopUp = `(SELECT coalesce(json_agg(one.service), '[]') FROM (
  SELECT ${serviceJson} AS service FROM ${servicesAndCampaigns}
  WHERE s.top_up_id = p.id AND ${isSold} ORDER BY ${serviceOrder("coalesce(c.price, s.price)")} LIMIT ${servicesMax}
) one)`;

/** Selects the active services of the card `p`, as a JSON array. */
export const servicesOfCard = `(SELECT coalesce(json_agg(one.service), '[]') FROM (
  SELECT json_build_object(${serviceMembers}, 'card_id', s.card_id) AS service FROM catalogue_card_services s
  WHERE s.card_id = p.id AND ${isSold} ORDER BY ${serviceOrder("s.price")} LIMIT ${servicesMax}
) one)`;

export interface GatewayRow {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly sort_by: number;
  readonly image_url: string;
  readonly status: number;
  readonly parameter_names: readonly string[];
  readonly currencies: Record<string, unknown>;
  readonly extra_parameters: Record<string, unknown> | null;
  readonly supported_currency: string[];
  readonly receivable_currencies: {
    name: string;
    currency_symbol: string;
    conversion_rate: string;
    min_limit: string;
    max_limit: string;
    percentage_charge: string;
    fixed_charge: string;
  }[];
  readonly description: string;
  readonly currency_type: number;
  readonly is_sandbox: number;
  readonly environment: string;
  readonly is_manual: number | null;
  readonly note: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Column by column, so that no secret can get among them. */
const gatewayMembers = [
  ..."id code name sort_by image_url status parameter_names currencies extra_parameters".split(" "),
  ..."supported_currency receivable_currencies description currency_type is_sandbox environment".split(" "),
  ..."is_manual note".split(" "),
]
  .map((column) => `'${column}', g.${column}`)
  .join(", ");

/** Selects the active gateways, as a JSON array of `GatewayRow`. */
export const activeGateways = `(SELECT coalesce(json_agg(json_build_object(${gatewayMembers}, ${times("g")})
  ORDER BY g.sort_by, g.id), '[]') FROM catalogue_gateways g WHERE g.status = 1)`;

export interface ProductRow {
  readonly id: number;
  readonly category_id: number;
  readonly name: string;
  readonly slug: string;
  readonly region: string;
  readonly note: string | null;
  readonly status: number;
  readonly instant_delivery: number;
  readonly image_url: string;
  readonly preview_url: string;
  readonly description: string;
  readonly guide: string;
  readonly total_review: number;
  readonly rating_sum: number;
  readonly sort_by: number;
  readonly deleted_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The columns of the top-up or card `p`: a `ProductRow`. */
export const productColumns = `p.id, p.category_id, p.name, p.slug, p.region, p.note, p.status, p.instant_delivery,
  p.image_url, p.preview_url, p.description, p.guide, p.total_review, p.rating_sum, p.sort_by,
  ${instant("p.retired_at")} AS deleted_at, ${instant("p.created_at")} AS created_at,
  ${instant("p.updated_at")} AS updated_at`;

/** Whether the top-up or card `p` is shown. */
export const isShown = "p.status = 1 AND p.retired_at IS NULL";

export interface ReviewRow {
  readonly id: number;
  readonly top_up_id: number;
  readonly customer_id: number;
  readonly rating: number;
  readonly comment: string;
  readonly status: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Null, as the rest about the author, if the reader may not see them. */
  readonly full_name: string | null;
  readonly avatar_url: string | null;
  readonly email: string | null;
  readonly is_online: boolean;
}

/** Columns of a review `r` of `publishedReviews`: a `ReviewRow`. */
export const reviewColumns = `r.id, r.top_up_id, r.customer_id, r.rating, r.comment, r.status,
  ${instant("r.created_at")} AS created_at, ${instant("r.updated_at")} AS updated_at, u.full_name, u.avatar_url, u.email,
  coalesce((u.settings #>> '{privacy,show_online}')::boolean, true)
    AND EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now()) AS is_online`;

/**
 * The published reviews `r` of the top-up `topUp`, with their authors `u` if `viewer` may see them: their accounts are
 * active, and neither has blocked the other. A review is about the top-up and counts in its rating, so it is shown
 * without its author otherwise.
 */
export const publishedReviews = (topUp: string, viewer: string): string => `catalogue_reviews r
  JOIN catalogue_customers k ON k.id = r.customer_id
  LEFT JOIN users u ON u.id = k.user_id AND u.status = 'active' AND NOT is_blocked_between(u.id, ${viewer})
  WHERE r.top_up_id = ${topUp} AND r.status = 1`;
