import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  alwaysNull,
  coins,
  type Fields,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  time,
  variants,
} from "#shared/contracts/fields.ts";
import { orderOffer, packageOffer } from "./offer-views.ts";

/** Purchases with money. */

export const orderKinds = ["coins", "vip", "deposit"] as const;
export const orderStatuses = ["created", "paid", "failed", "expired", "refunded"] as const;
/** The stores that apps buy at. */
export const storeNames = ["apple", "google"] as const;
export type StoreName = (typeof storeNames)[number];
export const providerNames = ["razorpay", "stripe", "sandbox", ...storeNames] as const;
export type ProviderName = (typeof providerNames)[number];

/** An amount of money in the currency's smallest unit: 9900 is ₹99.00. */
export const money = (example = 49_900) =>
  integer(1, 1_000_000_000_000, example).description("Amount in the smallest unit of `currency`: 9900 is ₹99.00.");
/** ISO 4217. */
export const currency = () =>
  Joi.string()
    .pattern(/^[A-Z]{3}$/, "an ISO 4217 currency code")
    .example("INR");
/** An ID issued by a payment provider. */
export const providerId = (example = "order_sbx5f0c2b9e4d7a41f8a6b3c2d1e0f9a8b7") =>
  Joi.string()
    .pattern(/^[A-Za-z0-9_.-]{1,255}$/, "1 to 255 characters from A-Z, a-z, 0-9, ., _, and -")
    .example(example);

/** The ID of a product at a store. */
export const storeProductId = () => line(1, 255, "com.example.coins.600");

/** What Google Play gives an app for a purchase. */
export const purchaseToken = () =>
  Joi.string()
    .pattern(/^[A-Za-z0-9_.-]{1,1000}$/, "1 to 1,000 characters from A-Z, a-z, 0-9, ., _, and -")
    .example("opaque-token-up-to-1000-characters");

/** Countries for which a store product has a price of its own. */
const pricedCountriesMax = 250;
const storePrice = object({
  country: Joi.string()
    .pattern(/^[A-Z]{2}$/, "an ISO 3166-1 alpha-2 country code")
    .example("IN"),
  amount: money(),
  currency: currency(),
});
export type StorePrice = Infer<typeof storePrice>;
export const storePrices = () =>
  listOf(storePrice)
    .max(pricedCountriesMax)
    .unique("country")
    .description(
      "What a country's buyers pay at the store, for purchases whose price the store doesn't say. Default: the price of what it buys.",
    );

/** Where an app runs, which decides where it may sell. */
export const platforms = ["ios", "android", "web"] as const;
export type Platform = (typeof platforms)[number];
export const soldAs = () =>
  nullable(storeProductId()).description(
    "The product that an app for the asked `platform` buys at its store. Null: none, or without `platform`. Extension.",
  );

export const coinPackage = object({
  id: id(exampleIds.coinPackage),
  name: line(1, 60, "Pouch"),
  coins: coins(550),
  bonus_coins: coins(50).description("Coins credited in addition to `coins`."),
  price: money(),
  currency: currency(),
  store_product_id: soldAs(),
  offer: optional(packageOffer.description("The best offer that is open to you for this package.")),
}).meta({ name: "CoinPackage" });
export type CoinPackage = Infer<typeof coinPackage>;

const exampleOrders = { coins: exampleIds.coinOrder, vip: exampleIds.vipOrder, deposit: exampleIds.depositOrder };

const orderOf = <const Kind extends (typeof orderKinds)[number], F extends Fields>(kind: Kind, sold: F) => {
  const exampleId = exampleOrders[kind];
  return object({
    id: id(exampleId),
    kind: oneOf(kind),
    status: oneOf(...orderStatuses).description(
      "A `created` order becomes `paid` or `failed`, or `expired` after 30 minutes. A `failed` or `expired` order still becomes `paid` if a payment arrives. `refunded`: the payment was refunded in full.",
    ),
    amount: money().min(0).description("Minor units of `currency`. 0: a store gave it for nothing, such as a trial."),
    currency: currency(),
    ...sold,
    provider: oneOf(...providerNames).example("sandbox"),
    provider_order_id: nullable(providerId()),
    created_at: time(exampleTime(exampleId)),
    paid_at: nullable(time(exampleTime(exampleId, 75))).example(null),
  });
};

export const order = variants(
  "kind",
  orderOf("coins", {
    coins: coins(600).description("Coins credited when the order is paid, including the bonus."),
    package_id: id(exampleIds.coinPackage),
    plan_id: alwaysNull(),
    offer: nullable(orderOffer).description("The offer that it was made with.").example(null),
  }).meta({ name: "CoinOrder" }),
  orderOf("vip", {
    coins: integer(0, 0),
    package_id: alwaysNull(),
    plan_id: id(exampleIds.vipPlan),
    offer: alwaysNull(),
  }).meta({
    name: "VipOrder",
  }),
  orderOf("deposit", {
    coins: integer(0, 0),
    package_id: alwaysNull(),
    plan_id: alwaysNull(),
    offer: alwaysNull(),
  }).meta({
    name: "DepositOrder",
    description: "Extension: money for a prepaid balance of the catalogue API.",
  }),
).meta({ name: "Order" });
export type Order = Infer<typeof order>;

export const restoredPurchase = object({
  order_id: nullable(id(exampleIds.coinOrder)).description("Its order. Null: it wasn't restored."),
  error: nullable(Joi.string().example("CONFLICT"))
    .description("The code of the error that keeps this purchase from being restored. Null: it was restored.")
    .example(null),
}).meta({ name: "RestoredPurchase" });
export type RestoredPurchase = Infer<typeof restoredPurchase>;

const payloadOf = <const Provider extends ProviderName, F extends Fields>(provider: Provider, fields: F) =>
  object({
    provider: oneOf(provider),
    order_id: providerId(),
    amount: money(),
    currency: currency(),
    description: line(1, 120, "Pouch, 600 coins"),
    ...fields,
  });

/** What a client needs to open the provider's checkout. */
export const providerPayload = variants(
  "provider",
  payloadOf("sandbox", {
    checkout_url: Joi.string()
      .example("http://127.0.0.1:3000/sandbox/checkout/order_sbx5f0c2b9e4d7a41f8a6b3c2d1e0f9a8b7")
      .description("The page where a user pays, declines, or requests a refund."),
  }).meta({ name: "SandboxPayload" }),
  payloadOf("razorpay", {
    key: Joi.string()
      .example("rzp_live_8hTq2LkVx0aPzM")
      .description("The key ID. Pass these fields to Razorpay's checkout as options."),
  }).meta({ name: "RazorpayPayload" }),
  payloadOf("stripe", {
    checkout_url: Joi.string()
      .example("https://checkout.stripe.com/c/pay/cs_live_a1fHk2")
      .description(
        "Stripe's page. Send the user there. They come back with `session_id`, which is `payment_provider_order_id` of `POST /payments/verify`.",
      ),
  }).meta({ name: "StripePayload" }),
).meta({ name: "ProviderPayload" });
export type ProviderPayload = Infer<typeof providerPayload>;

export const orderToPay = object({ order, providerPayload }).meta({ name: "OrderToPay" });
export type OrderToPay = Infer<typeof orderToPay>;
