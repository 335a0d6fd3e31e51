import { id as recordId } from "#shared/contracts/catalogue-fields.ts";
import { catalogueOrder, pagedOf, reviewPage } from "#shared/contracts/catalogue-order-views.ts";
import {
  card,
  catalogueService,
  category,
  detailedCard,
  detailedTopUp,
  topUp,
} from "#shared/contracts/catalogue-views.ts";
import { line, listOf, object, oneOf } from "#shared/contracts/fields.ts";
import { showCode, shownForHours } from "#shared/domain/catalogue/codes/codes.ts";
import { missingFields } from "#shared/domain/catalogue/orders/form.ts";
import { orderCard } from "#shared/domain/catalogue/orders/order-card.ts";
import { placeOrder } from "#shared/domain/catalogue/orders/place-order.ts";
import {
  findCard,
  findOrder,
  findTopUp,
  listCards,
  listCategories,
  listOrders,
  listReviews,
  listServices,
  listTopUps,
  unpagedMax,
} from "#shared/domain/catalogue/products/catalogue.queries.ts";
import { addReview } from "#shared/domain/catalogue/reviews/add-review.ts";
import { issueToken } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Route, routeOf } from "../http/route.ts";
import {
  toCard,
  toDetailedCard,
  toDetailedTopUp,
  toOrder,
  toReview,
  toService,
  toTopUp,
} from "./catalogue.presenter.ts";
import {
  addReviewBody,
  cardQuery,
  cardsQuery,
  idempotencyField,
  makeOrderBody,
  orderCardBody,
  orderParams,
  pageQuery,
  reviewsQuery,
  servicesQuery,
  showCodeBody,
  topUpDetailsQuery,
  topUpListQuery,
} from "./catalogue.schemas.ts";
import { pagerOf, toPaged } from "./paged.ts";

const confirmation = (example: string) => line(1, 200, example).meta({ name: "Confirmation" });
const cap = `At most ${unpagedMax} are returned.`;

function found<T>(record: T | undefined): T {
  if (record === undefined) throw new DomainError("NOT_FOUND");
  return record;
}

const headerText = (value: string | string[] | undefined): string => (typeof value === "string" ? value : "");

/** The operation whose answer has a member beside the message, so that it is the envelope itself. */
export const tokenRoute = routeOf(
  "Token",
  "anyone",
)({
  id: "createToken",
  method: "post",
  path: "/generate/authorization-token",
  summary: "Get a bearer token",
  description:
    "Returns a bearer token for a key pair. It works for 24 hours, and ends earlier if the key is revoked, or if the account of its owner is suspended or deleted. A key gets at most 30 tokens a minute.",
  rateLimit: { points: 60, seconds: 60, by: "ip" },
  headers: [
    { name: "PublicKey", description: "The public key. Required.", example: "pk_v2Jx0mN8rQ4tYw7uZkHc1sLbDfGaEoPi" },
    { name: "SecretKey", description: "The secret key. Required.", example: "Wq3mX9vB5nR1tL7yK2pS8dF4gH6jZ0cA" },
  ],
  response: object({
    status: oneOf("success"),
    message: line(1, 200, "The token has been generated."),
    bearer_token: line(1, 100, "k8Hn2Vb5Xq9Lw3Rt7Yp1Zs6Df4Gj0McAeUoIxKvNbQy"),
  }).meta({ name: "Token" }),
  errors: ["UNAUTHENTICATED"],
  handler: async ({ headers, ip }) => ({
    status: "success" as const,
    message: "The token has been generated.",
    bearer_token: await issueToken(headerText(headers.publickey), headerText(headers.secretkey), ip),
  }),
});

const browse = routeOf("Catalogue", "key_holder");
const cards = routeOf("Cards", "key_holder");
const orders = routeOf("Orders", "key_holder");
const reviews = routeOf("Reviews", "key_holder");

export const catalogueRoutes = (): Route[] => [
  tokenRoute,
  browse({
    id: "listCategories",
    method: "get",
    path: "/get-category",
    summary: "List categories",
    description: cap,
    response: object({ categories: listOf(category) }).meta({ name: "CategoryList" }),
    handler: async () => ({ categories: await listCategories() }),
  }),
  browse({
    id: "listTopUps",
    method: "get",
    path: "/top-up/list",
    summary: "List top-ups",
    description: "Returns active top-ups with their active services, 10 on a page.",
    query: topUpListQuery,
    response: pagedOf(topUp, "TopUpPage"),
    handler: async ({ query: { category_id, page } }) => {
      const listed = await listTopUps(category_id, page);
      return toPaged({ path: "/top-up/list", query: { category_id } }, { ...listed, items: listed.items.map(toTopUp) });
    },
  }),
  browse({
    id: "getTopUp",
    method: "get",
    path: "/top-up/details",
    summary: "Get a top-up",
    description: "Returns an active top-up with its active services, the newest 15 reviews, and the payment gateways.",
    query: topUpDetailsQuery,
    response: object({ topUp: detailedTopUp }).meta({ name: "TopUpEntry" }),
    errors: ["NOT_FOUND"],
    handler: async ({ caller, query: { slug } }) => ({
      topUp: toDetailedTopUp(found(await findTopUp(slug, caller.userId))),
    }),
  }),
  browse({
    id: "listServices",
    method: "get",
    path: "/topup/services",
    summary: "List services",
    description: `Returns the active services of all active top-ups, or of one. ${cap}`,
    query: servicesQuery,
    response: object({ services: listOf(catalogueService) }).meta({ name: "ServiceList" }),
    handler: async ({ query: { top_up_id } }) => ({ services: (await listServices(top_up_id)).map(toService) }),
  }),
  orders({
    id: "makeOrder",
    method: "post",
    path: "/top-up/make-order",
    summary: "Order a top-up",
    description:
      "Places an order of a service at its current price. While a campaign runs, that is the price of the campaign; an order that finds the campaign just sold out fails, and the next one is at the regular price, unless it has another `expected_price`. An order keeps its price, discount, and input. It is due in 30 days if the operator gave you credit and it is within your limit: `payment` is `postpaid`. Otherwise it is `prepaid`, from your balance in its currency; if the balance is insufficient, no order is placed. Overdue orders block further ones.",
    rateLimit: { points: 120, seconds: 60, by: "key_holder" },
    idempotent: true,
    idempotencyField,
    body: makeOrderBody,
    response: confirmation("Order 1 has been placed."),
    errors: ["CONFLICT", "FORBIDDEN", "INSUFFICIENT_BALANCE"],
    handler: async ({ caller, body, idempotency }) => {
      const order = await placeOrder(caller, body as Record<string, unknown>, idempotency);
      return `Order ${order} has been placed.`;
    },
  }),
  orders({
    id: "orderCard",
    method: "post",
    path: "/card/make-order",
    summary: "Order a card",
    description:
      "Places an order of a service of a card at its current price, and reserves a code for it. If the card has instant delivery, the order is completed at once. Fails when no code is left.",
    extension: true,
    rateLimit: { points: 120, seconds: 60, by: "key_holder" },
    idempotent: true,
    idempotencyField,
    body: orderCardBody,
    response: confirmation("Order 2 has been placed."),
    errors: ["CONFLICT", "FORBIDDEN", "INSUFFICIENT_BALANCE"],
    handler: async ({ caller, body, idempotency }) => {
      const order = await orderCard(caller, body, idempotency);
      return `Order ${order} has been placed.`;
    },
  }),
  orders({
    id: "showCode",
    method: "post",
    path: "/orders/:id/code",
    summary: "Show an order's code",
    description: `Shows the code of a completed order of a card, once. Choose an idempotency key, which is required, and store it before you call: calls with the same key get the code again for ${shownForHours} hours, so a lost response doesn't lose it. Calls with another key fail. After that, the service no longer has the code.`,
    extension: true,
    rateLimit: { points: 120, seconds: 60, by: "key_holder" },
    idempotent: true,
    idempotencyField,
    params: orderParams,
    body: showCodeBody,
    response: object({ order_id: recordId(2), code: line(1, 200, "ABCD-EFGH-1234") }).meta({ name: "OrderCode" }),
    errors: ["CONFLICT", "FORBIDDEN"],
    handler: async ({ caller, params: { id }, idempotency }) => {
      if (!idempotency) throw missingFields("idempotency_key");
      return { order_id: id, code: await showCode(caller, id, idempotency.key) };
    },
  }),
  orders({
    id: "listOrders",
    method: "get",
    path: "/orders",
    summary: "List your orders",
    description: "Returns the orders of the owner of the keys, the newest first, 10 on a page.",
    extension: true,
    query: pageQuery,
    response: pagedOf(catalogueOrder, "OrderPage"),
    handler: async ({ caller, query: { page } }) => {
      const listed = await listOrders(caller.userId, page);
      return toPaged({ path: "/orders" }, { ...listed, items: listed.items.map(toOrder) });
    },
  }),
  orders({
    id: "getOrder",
    method: "get",
    path: "/orders/:id",
    summary: "Get your order",
    extension: true,
    params: orderParams,
    response: object({ order: catalogueOrder }).meta({ name: "OrderEntry" }),
    handler: async ({ caller, params: { id } }) => ({ order: toOrder(found(await findOrder(caller.userId, id))) }),
  }),
  reviews({
    id: "listReviews",
    method: "get",
    path: "/topup/review",
    summary: "List reviews",
    description:
      "Returns the published reviews of a top-up, the newest first, 15 on a page. The name, the image, and the email address of a reviewer are empty if their account is suspended or waits for its deletion, or if one of you has blocked the other.",
    query: reviewsQuery,
    response: reviewPage,
    errors: ["NOT_FOUND"],
    handler: async ({ caller, query: { top_up_id, page } }) => {
      const listed = found(await listReviews(top_up_id, caller.userId, page));
      const { last, next, previous } = pagerOf({ path: "/topup/review", query: { top_up_id } }, listed);
      const { total, limit } = listed;
      const ends = { last_page: last, next_page_url: next, prev_page_url: previous };
      return {
        reviews: listed.items.map(toReview),
        pagination: { total, per_page: limit, current_page: page, ...ends },
      };
    },
  }),
  reviews({
    id: "addReview",
    method: "post",
    path: "/topup/review",
    summary: "Review a top-up",
    description:
      "Adds your review. If you have ordered the top-up, it is published immediately; otherwise it is held until an administrator publishes it. You can review each top-up once.",
    rateLimit: { points: 30, seconds: 60, by: "key_holder" },
    body: addReviewBody,
    response: confirmation("Your review has been added."),
    errors: ["CONFLICT"],
    handler: async ({ caller, body }) => {
      const { isPublished } = await addReview(caller, body);
      return isPublished ? "Your review has been added." : "Your review has been added and awaits approval.";
    },
  }),
  cards({
    id: "listCards",
    method: "get",
    path: "/get-card",
    summary: "List cards",
    description: `Returns the active cards, or those of one category. ${cap}`,
    query: cardsQuery,
    response: object({ cards: listOf(card) }).meta({ name: "CardList" }),
    handler: async ({ query: { category_id } }) => ({ cards: (await listCards(category_id)).map(toCard) }),
  }),
  cards({
    id: "getCard",
    method: "get",
    path: "/card/details",
    summary: "Get a card",
    description: "Returns an active card with its active services and the payment gateways.",
    query: cardQuery,
    response: detailedCard,
    errors: ["NOT_FOUND"],
    handler: async ({ query: { card_id } }) => toDetailedCard(found(await findCard(card_id))),
  }),
];
