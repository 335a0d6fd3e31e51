import Joi from "joi";
import {
  coins,
  type Infer,
  id,
  integer,
  line,
  nullable,
  object,
  oneOf,
  optional,
  time,
} from "#shared/contracts/fields.ts";

/** Views of what is bought with money. */

export const orderKinds = ["coins", "vip"] as const;
export const orderStatuses = ["created", "paid", "failed", "expired", "refunded"] as const;
export const providerNames = ["razorpay", "sandbox"] as const;
export type ProviderName = (typeof providerNames)[number];

/** Money: minor units of a currency, 9900 of INR is 99.00. */
export const money = (example = 49_900) =>
  integer(1, 1_000_000_000_000, example).description("Minor units of `currency`: 9900 of INR is 99.00.");
/** ISO 4217. */
export const currency = () =>
  Joi.string()
    .pattern(/^[A-Z]{3}$/, "currency")
    .example("INR");
/** An id that a provider has made. */
export const providerId = (example = "order_EKwxwAgItmmXdp") =>
  Joi.string()
    .pattern(/^[A-Za-z0-9_]{1,64}$/, "provider's id")
    .example(example);

export const coinPackage = object({
  id: id(),
  name: line(1, 60, "Pouch"),
  coins: coins(550),
  bonus_coins: coins(50).description("Coins, on top of `coins`."),
  price: money(),
  currency: currency(),
}).meta({ name: "CoinPackage" });
export type CoinPackage = Infer<typeof coinPackage>;

export const order = object({
  id: id(),
  kind: oneOf(...orderKinds),
  status: oneOf(...orderStatuses).description(
    "`created` becomes `paid`, `failed` or, after 30 minutes, `expired`; money that comes after that still makes it `paid`. `refunded`: all of the money was given back.",
  ),
  amount: money(),
  currency: currency(),
  coins: coins(600).description("Coins that a paid order brings, bonus included; 0 for VIP."),
  package_id: nullable(id()),
  plan_id: nullable(id()).example(null),
  provider: oneOf(...providerNames),
  provider_order_id: nullable(providerId()),
  created_at: time(),
  paid_at: nullable(time()).example(null),
}).meta({ name: "Order" });
export type Order = Infer<typeof order>;

/** What a client needs to let a person pay. */
export const providerPayload = object({
  provider: oneOf("sandbox", "razorpay"),
  order_id: providerId("order_sbx5f0c2b9e4d7a41f8a6b3c2d1e0f9a8b7"),
  amount: money(),
  currency: currency(),
  description: line(1, 120, "Pouch, 600 coins"),
  key: optional(Joi.string().description("Razorpay only: its key id; these members are options of its checkout.")),
  checkout_url: optional(
    Joi.string()
      .example("http://127.0.0.1:3000/sandbox/checkout/order_sbx5f0c2b9e4d7a41f8a6b3c2d1e0f9a8b7")
      .description("Sandbox only: the page where a person pays, declines or asks the money back."),
  ),
}).meta({ name: "ProviderPayload" });
export type ProviderPayload = Infer<typeof providerPayload>;

export const orderToPay = object({ order, providerPayload }).meta({ name: "OrderToPay" });
export type OrderToPay = Infer<typeof orderToPay>;
