import Joi from "joi";
import { amount, discountType, id, times } from "./catalogue-fields.ts";
import { review } from "./catalogue-views.ts";
import { count, flag, type Infer, integer, line, listOf, nullable, object, oneOf, text, url } from "./fields.ts";

/** Orders and pages of the catalogue API. */

export const orderStatus = () => oneOf("placed", "processing", "completed", "cancelled");
export const orderPayment = () => oneOf("postpaid", "prepaid");
export const codeState = () => oneOf("reserved", "ready", "shown");

/** What a buyer entered in a field. */
export const orderInput = object({
  field_name: Joi.string().example("Player_Id"),
  field_value: Joi.string().example("Player ID"),
  value: Joi.string().example("1234 5678"),
}).meta({ name: "OrderInput" });

export const catalogueOrder = object({
  id: id(),
  kind: oneOf("top_up", "card"),
  top_up_id: nullable(id()).description("Null for an order of a card."),
  card_id: nullable(id()).description("Null for an order of a top-up.").example(null),
  service_id: id(),
  campaign_id: nullable(id()),
  product_name: line(1, 80, "Star Raiders"),
  service_name: line(1, 60, "100 gems"),
  status: orderStatus(),
  reason: nullable(text(1, 500, "The player ID doesn't exist.")).description("Why the order was cancelled."),
  delivery: nullable(text(1, 500, "Sent to player 1234 5678.")).description("What was delivered, in words."),
  code: nullable(codeState())
    .description(
      "Of an order of a card: whether its code is `reserved` until the order is completed, `ready` to be shown, or was `shown`.",
    )
    .example(null),
  payment: orderPayment(),
  currency: Joi.string().length(3).example("USD"),
  price: amount(4.99),
  discount: amount(10),
  discount_type: discountType(),
  discountedAmount: amount(0.5),
  total: amount(4.49),
  order_information: listOf(orderInput),
  ...times,
}).meta({ name: "Order" });
export type CatalogueOrder = Infer<typeof catalogueOrder>;

const pageUrl = (page: number) => url(`https://api.example.com/catalogue/top-up/list?page=${page}`);

/** The paged object of the contract, of these items. */
export const pagedOf = <Schema extends Joi.AnySchema>(item: Schema, name: string) =>
  object({
    current_page: integer(1, 1_000_000, 1),
    items: listOf(item),
    first_page_url: pageUrl(1),
    from: nullable(count(1)),
    last_page: count(1),
    last_page_url: pageUrl(1),
    links: listOf(
      object({ url: nullable(pageUrl(1)), label: Joi.string().example("1"), active: flag() }).meta({
        name: "PageLink",
      }),
    ),
    next_page_url: nullable(pageUrl(2)),
    path: url("https://api.example.com/catalogue/top-up/list"),
    per_page: count(10),
    prev_page_url: nullable(pageUrl(1)),
    to: nullable(count(1)),
    total: count(1),
  }).meta({ name });

export const reviewPage = object({
  reviews: listOf(review),
  pagination: object({
    total: count(1),
    per_page: count(15),
    current_page: count(1),
    last_page: count(1),
    next_page_url: nullable(pageUrl(2)),
    prev_page_url: nullable(pageUrl(1)),
  }).meta({ name: "ReviewPagination" }),
}).meta({ name: "ReviewPage" });
