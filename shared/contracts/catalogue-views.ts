import Joi from "joi";
import { amount, bit, discountType, html, id, image, imageUrl, instant, times } from "./catalogue-fields.ts";
import {
  count,
  flag,
  type Infer,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  url,
} from "./fields.ts";

/** What clients of the catalogue API see. Its names and types are those of its contract: IDs and flags are integers. */

export const category = object({
  id: id(),
  name: line(1, 60, "Strategy games"),
  icon: line(1, 60, "fa-solid fa-chess"),
  type: oneOf("top_up", "card"),
  active_children: count(3),
}).meta({ name: "Category" });
export type Category = Infer<typeof category>;

const informationField = {
  field_value: line(1, 60, "Player ID"),
  field_name: Joi.string()
    .pattern(/^\w{1,60}$/)
    .example("Player_Id"),
  field_placeholder: Joi.string().allow("").example("1234 5678"),
  field_note: Joi.string().allow("").example("It is in your profile."),
};
/** A field that an order of a top-up needs. */
export const orderField = object({
  ...informationField,
  field_type: oneOf("text", "select"),
  option: optional(
    Joi.object<Record<string, string>>()
      .pattern(Joi.string(), Joi.string())
      .description("For `select`: the allowed values, with their labels."),
  ),
}).meta({ name: "OrderField" });
export type OrderField = Infer<typeof orderField>;

/** How many fields of its own an order may need. Forms are limited to a few more. */
const orderFieldsMax = 40;

/** The fields that an order needs, as an administrator writes them. */
export const orderFields = () =>
  listOf(
    object({
      field_value: informationField.field_value.description("Its label."),
      field_name: informationField.field_name,
      field_placeholder: text(0, 120, "1234 5678"),
      field_note: text(0, 300, "It is in your profile."),
      field_type: oneOf("text", "select"),
      option: optional(
        Joi.object<Record<string, string>>()
          .pattern(/^(?!__proto__$)[\w .:+-]{1,60}$/, line(1, 120, "Europe"))
          .min(1)
          .max(200)
          .description("For `select` alone: the allowed values, with their labels."),
      ),
    }),
  )
    .max(orderFieldsMax)
    .example([
      { ...exampleField(), field_type: "text" },
      {
        field_value: "Server",
        field_name: "Server",
        field_placeholder: "",
        field_note: "",
        field_type: "select",
        option: { europe: "Europe", asia: "Asia" },
      },
    ])
    .description("The fields that an order needs, in order.");

const campaignValues = object({
  price: Joi.string().example("3.99"),
  discount: Joi.string().example("10"),
  discount_type: discountType(),
  max_sell: Joi.string().example("50"),
}).meta({ name: "CampaignValues" });

const regularValues = object({ price: amount(4.99), discount: amount(0), discount_type: discountType() }).meta({
  name: "RegularValues",
});

const serviceFields = {
  name: line(1, 60, "100 gems"),
  image: image(),
  image_driver: line(1, 20, "url"),
  price: amount(4.99),
  discount: amount(10),
  discount_type: discountType(),
  status: bit(),
};
const priceDetails = {
  currency: Joi.string().length(3).example("USD"),
  currency_symbol: Joi.string().example("$"),
  discountedAmount: amount(0.5).description("The discount as an amount."),
  discountedPriceWithoutDiscount: amount(4.49).description("The price after the discount."),
};
const sortBy = () => integer(0, 100, 1).description("1: by date. 2: by price.");

const serviceOf = {
  id: id(),
  top_up_id: id(),
  ...serviceFields,
  is_offered: bit(0).description("1 while a campaign runs. The price and the discount are then those of the campaign."),
  offered_sell: count(0),
  max_sell: count(0),
  sort_by: sortBy(),
  old_data: nullable(regularValues).description("The regular price and discount."),
  campaign_data: nullable(campaignValues),
  ...times,
  image_path: imageUrl(),
};
export const catalogueService = object(serviceOf).meta({ name: "Service" });
export type CatalogueService = Infer<typeof catalogueService>;
export const detailedService = object({ ...serviceOf, ...priceDetails }).meta({ name: "ServiceDetails" });
export type DetailedService = Infer<typeof detailedService>;

const topUpFields = {
  id: id(),
  category_id: id(),
  name: line(1, 80, "Star Raiders"),
  slug: Joi.string().example("star-raiders"),
  region: line(1, 60, "Global"),
  note: nullable(text(1, 500, "Delivered within minutes.")),
  status: bit(),
  instant_delivery: bit(),
  image: object({
    image: image(),
    image_driver: line(1, 20, "url"),
    preview: image(),
    preview_driver: line(1, 20, "url"),
  }),
  description: html("<p>Gems for Star Raiders.</p>"),
  guide: html("<ol><li>Enter your player ID.</li></ol>"),
  total_review: count(1),
  avg_rating: amount(4.5).max(5),
  sort_by: sortBy(),
  deleted_at: nullable(instant()),
  ...times,
  preview_image: imageUrl(),
  top_up_detail_route: url("https://api.example.com/catalogue/top-up/details?slug=star-raiders"),
};

export const topUp = object({
  ...topUpFields,
  order_information: Joi.object<Record<string, OrderField>>()
    .pattern(/^\d+$/, orderField)
    .example({ 0: { ...exampleField(), field_type: "text" } })
    .description("By position, from `0`."),
  services: listOf(catalogueService),
}).meta({ name: "TopUp" });
export type TopUp = Infer<typeof topUp>;

function exampleField() {
  return {
    field_value: "Player ID",
    field_name: "Player_Id",
    field_placeholder: "1234 5678",
    field_note: "It is in your profile.",
  };
}

const reviewerFields = {
  id: id(7),
  firstname: Joi.string().allow("").example("Grace"),
  lastname: Joi.string().allow("").example("Hopper"),
  fullname: Joi.string().allow("").example("Grace Hopper"),
  image: image(),
  image_driver: line(1, 20, "url"),
  imgPath: Joi.string().allow("").example("https://cdn.example.com/avatars/grace.png"),
  LastSeenActivity: flag(false).description("Whether the reviewer is online now and shows it."),
};
const reviewFields = {
  id: id(),
  rating: integer(1, 5, 5),
  comment: text(1, 1000, "Fast and friendly."),
  status: bit().description("1: published. 0: held."),
  ...times,
};
export const review = object({ ...reviewFields, user: object(reviewerFields).meta({ name: "Reviewer" }) }).meta({
  name: "Review",
});
export type Review = Infer<typeof review>;

export const detailedReview = object({
  ...reviewFields,
  reviewable_type: oneOf("top_up"),
  reviewable_id: id(),
  user_id: id(7),
  user: object({
    ...reviewerFields,
    email: Joi.string().allow("").example("g***@example.com").description("Masked."),
  }).meta({ name: "ReviewerDetails" }),
}).meta({ name: "ReviewDetails" });
export type DetailedReview = Infer<typeof detailedReview>;

export const gateway = object({
  id: id(),
  code: line(1, 40, "cardwise"),
  name: line(1, 60, "Cardwise"),
  sort_by: integer(0, 100, 1),
  image: imageUrl(),
  driver: line(1, 20, "url"),
  status: bit(),
  parameters: Joi.object<Record<string, string>>()
    .pattern(Joi.string(), Joi.string())
    .example({ secret_key: "[redacted]" })
    .description("The names of the parameters. Their values are never shown."),
  currencies: Joi.object<Record<string, unknown>>().unknown().example({ USD: "USD" }),
  extra_parameters: nullable(Joi.object<Record<string, unknown>>().unknown().example({})),
  supported_currency: listOf(Joi.string().example("USD")),
  receivable_currencies: listOf(
    object({
      name: Joi.string().example("USD"),
      currency_symbol: Joi.string().example("$"),
      conversion_rate: Joi.string().example("1"),
      min_limit: Joi.string().example("1"),
      max_limit: Joi.string().example("1000"),
      percentage_charge: Joi.string().example("2.5"),
      fixed_charge: Joi.string().example("0.3"),
    }).meta({ name: "ReceivableCurrency" }),
  ),
  description: Joi.string().allow("").example("Cards of all networks."),
  currency_type: integer(0, 100, 1),
  is_sandbox: bit(0),
  environment: line(1, 20, "live"),
  is_manual: nullable(bit(0)),
  note: nullable(text(1, 500, "Payments are usually confirmed within a minute.")),
  ...times,
}).meta({ name: "Gateway" });
export type Gateway = Infer<typeof gateway>;

export const detailedTopUp = object({
  ...topUpFields,
  order_information: listOf(orderField),
  active_services: listOf(detailedService),
  reviewStatic: object({ reviews: listOf(detailedReview), hasAlreadyOrdered: flag() }).meta({ name: "ReviewStatic" }),
  gateways: listOf(gateway),
}).meta({ name: "TopUpDetails" });
export type DetailedTopUp = Infer<typeof detailedTopUp>;

const cardFields = {
  id: id(),
  category_id: id(2),
  name: line(1, 80, "Moonbeam Store card"),
  slug: Joi.string().example("moonbeam-store"),
  status: bit(),
  product_image: imageUrl(),
  preview_image: imageUrl(),
};
export const card = object(cardFields).meta({ name: "Card" });
export type Card = Infer<typeof card>;

const cardService = object({
  id: id(),
  card_id: id(),
  ...serviceFields,
  sort_by: sortBy(),
  ...times,
  image_path: imageUrl(),
  ...priceDetails,
}).meta({ name: "CardService" });

export const detailedCard = object({
  ...cardFields,
  region: line(1, 60, "Global"),
  note: nullable(text(1, 500, "Redeem within a year.")),
  instant_delivery: bit(),
  description: html("<p>A card for the Moonbeam Store.</p>"),
  guide: html("<p>Redeem it in your account.</p>"),
  total_review: count(0),
  avg_rating: amount(0).max(5),
  sell_count: count(12),
  trending: bit(),
  services: listOf(cardService),
  gateways: listOf(gateway),
}).meta({ name: "CardDetails" });
export type DetailedCard = Infer<typeof detailedCard>;
