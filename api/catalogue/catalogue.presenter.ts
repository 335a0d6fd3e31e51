import type { CatalogueOrder } from "#shared/contracts/catalogue-order-views.ts";
import type {
  Card,
  CatalogueService,
  DetailedCard,
  DetailedReview,
  DetailedService,
  DetailedTopUp,
  Gateway,
  Review,
  TopUp,
} from "#shared/contracts/catalogue-views.ts";
import type {
  CardDetailsRow,
  CardRow,
  CatalogueOrderRow,
  TopUpDetailsRow,
  TopUpRow,
} from "#shared/domain/catalogue/products/catalogue.queries.ts";
import type {
  CardServiceRow,
  GatewayRow,
  ProductRow,
  ReviewRow,
  ServiceRow,
} from "#shared/domain/catalogue/products/catalogue-rows.ts";
import { discounted } from "#shared/domain/catalogue/products/money.ts";
import { sanitized } from "#shared/domain/catalogue/products/sanitize.ts";
import { formatDecimal, parseDecimal, symbolOf } from "#shared/kernel/decimal.ts";
import { urlOf } from "./paged.ts";

/** The contract tells where an image is stored. Here each is a URL. */
const imageDriver = "url";

/**
 * Returns the path of an image, without the leading slash. A list has hundreds, and `URL` would be most of its cost.
 */
const imagePath = (address: string): string => /^https?:\/\/[^/?#]+\/([^?#]*)/i.exec(address)?.[1] ?? "";

type CommonServiceRow = Omit<CardServiceRow, "card_id">;

const commonOf = ({ id, name, image_url, status, sort_by, created_at, updated_at }: CommonServiceRow) => ({
  id,
  name,
  image: imagePath(image_url),
  image_driver: imageDriver,
  status,
  sort_by,
  created_at,
  updated_at,
  image_path: image_url,
});

type Priced = Pick<ServiceRow, "price" | "discount" | "discount_type">;

/** Numbers for the contract. Sums are made of the numerals they stand for, see `money.ts`. */
const pricesOf = ({ price, discount, discount_type }: Priced) => ({
  price: Number(price),
  discount: Number(discount),
  discount_type,
});

interface PriceDetails {
  readonly currency: string;
  readonly currency_symbol: string;
  readonly discountedAmount: number;
  readonly discountedPriceWithoutDiscount: number;
}

/** What was computed already: a catalogue has few different prices, and each is shown often. */
const knownDetails = new Map<string, PriceDetails>();
const knownDetailsMax = 5000;

function priceDetailsOf(priced: Priced, currency: string): PriceDetails {
  const key = `${priced.price} ${priced.discount} ${priced.discount_type} ${currency}`;
  const known = knownDetails.get(key);
  if (known) return known;
  const [oldest] = knownDetails.size >= knownDetailsMax ? knownDetails.keys() : [];
  if (oldest !== undefined) knownDetails.delete(oldest);
  const details = computeDetails(priced, currency);
  knownDetails.set(key, details);
  return details;
}

function computeDetails({ price, discount, discount_type }: Priced, currency: string): PriceDetails {
  const { amount, total } = discounted({
    price: parseDecimal(price),
    discount: parseDecimal(discount),
    discountType: discount_type,
    currency,
  });
  return {
    currency,
    currency_symbol: symbolOf(currency),
    discountedAmount: Number(formatDecimal(amount)),
    discountedPriceWithoutDiscount: Number(formatDecimal(total)),
  };
}

export function toService(row: ServiceRow): CatalogueService {
  const { campaign, image_url } = row;
  const { price, discount, discount_type } = campaign ?? row;
  // Without spreads, which cost as much as the rest: a list has hundreds of services.
  return {
    id: row.id,
    top_up_id: row.top_up_id,
    name: row.name,
    image: imagePath(image_url),
    image_driver: imageDriver,
    price: Number(price),
    discount: Number(discount),
    discount_type,
    status: row.status,
    sort_by: row.sort_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    image_path: image_url,
    is_offered: campaign ? 1 : 0,
    offered_sell: campaign?.offered_sell ?? 0,
    max_sell: campaign?.max_sell ?? 0,
    old_data: campaign && pricesOf(row),
    campaign_data: campaign && {
      price: campaign.price,
      discount: campaign.discount,
      discount_type: campaign.discount_type,
      max_sell: String(campaign.max_sell),
    },
  };
}

const toDetailedService = (row: ServiceRow): DetailedService =>
  Object.assign(toService(row), priceDetailsOf(row.campaign ?? row, row.currency));

const ratingOf = ({ total_review, rating_sum }: ProductRow): number =>
  total_review === 0 ? 0 : Math.round((100 * rating_sum) / total_review) / 100;

/** Sanitised again when it is read: what the database has may have been written by other means. */
const textsOf = (row: ProductRow) => ({ description: sanitized(row.description), guide: sanitized(row.guide) });

const topUpOf = (row: TopUpRow) => ({
  id: row.id,
  category_id: row.category_id,
  name: row.name,
  slug: row.slug,
  region: row.region,
  note: row.note,
  status: row.status,
  instant_delivery: row.instant_delivery,
  image: {
    image: imagePath(row.image_url),
    image_driver: imageDriver,
    preview: imagePath(row.preview_url),
    preview_driver: imageDriver,
  },
  ...textsOf(row),
  total_review: row.total_review,
  avg_rating: ratingOf(row),
  sort_by: row.sort_by,
  deleted_at: row.deleted_at,
  created_at: row.created_at,
  updated_at: row.updated_at,
  preview_image: row.preview_url,
  top_up_detail_route: urlOf("/top-up/details", { slug: row.slug }),
});

export const toTopUp = (row: TopUpRow): TopUp => ({
  ...topUpOf(row),
  order_information: Object.fromEntries(row.order_information.map((field, index) => [`${index}`, field])),
  services: row.services.map(toService),
});

export const toDetailedTopUp = (row: TopUpDetailsRow): DetailedTopUp => ({
  ...topUpOf(row),
  order_information: [...row.order_information],
  active_services: row.services.map(toDetailedService),
  reviewStatic: { reviews: row.reviews.map(toDetailedReview), hasAlreadyOrdered: row.has_ordered },
  gateways: row.gateways.map(toGateway),
});

function reviewerOf({ customer_id, full_name, avatar_url, is_online }: ReviewRow) {
  const name = full_name ?? "";
  const [firstname = "", ...rest] = name.split(" ");
  return {
    id: customer_id,
    firstname,
    lastname: rest.join(" "),
    fullname: name,
    image: avatar_url ? imagePath(avatar_url) : "",
    image_driver: imageDriver,
    imgPath: avatar_url ?? "",
    LastSeenActivity: is_online,
  };
}

/** `g***@example.com`: enough for the reviewer to know their own. */
const masked = (email: string | null): string => email?.replace(/^(.)[^@]*/su, "$1***") ?? "";

const reviewOf = ({ id, rating, comment, status, created_at, updated_at }: ReviewRow) => ({
  id,
  rating,
  comment,
  status,
  created_at,
  updated_at,
});

export const toReview = (row: ReviewRow): Review => ({ ...reviewOf(row), user: reviewerOf(row) });

const toDetailedReview = (row: ReviewRow): DetailedReview => ({
  ...reviewOf(row),
  reviewable_type: "top_up",
  reviewable_id: row.top_up_id,
  user_id: row.customer_id,
  user: { ...reviewerOf(row), email: masked(row.email) },
});

const toGateway = ({ parameter_names, image_url, ...row }: GatewayRow): Gateway => ({
  ...row,
  image: image_url,
  driver: imageDriver,
  parameters: Object.fromEntries(parameter_names.map((name) => [name, "[redacted]"])),
});

export const toCard = ({ id, category_id, name, slug, status, image_url, preview_url }: CardRow): Card => ({
  id,
  category_id,
  name,
  slug,
  status,
  product_image: image_url,
  preview_image: preview_url,
});

export const toDetailedCard = (row: CardDetailsRow): DetailedCard => ({
  ...toCard(row),
  region: row.region,
  note: row.note,
  instant_delivery: row.instant_delivery,
  ...textsOf(row),
  total_review: row.total_review,
  avg_rating: ratingOf(row),
  sell_count: row.sell_count,
  trending: row.trending,
  services: row.services.map((service) => ({
    ...commonOf(service),
    card_id: service.card_id,
    ...pricesOf(service),
    ...priceDetailsOf(service, service.currency),
  })),
  gateways: row.gateways.map(toGateway),
});

export const toOrder = ({
  discounted_amount,
  total,
  order_information,
  ...row
}: CatalogueOrderRow): CatalogueOrder => ({
  ...row,
  ...pricesOf(row),
  discountedAmount: Number(discounted_amount),
  total: Number(total),
  order_information: order_information ?? [],
});
