import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  coins,
  flag,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { currency, money, soldAs } from "./payment-views.ts";

/** Items in the store. */

export const frame = object({
  id: id(exampleIds.frame),
  name: line(1, 60, "Aurora"),
  image_url: url("https://cdn.example.com/frames/aurora.png"),
  price: coins(300),
  duration_days: nullable(integer(1, 3660, 30)).description("How long a purchase lasts, in days. Null: permanently."),
  owned_by_me: flag(),
  equipped: flag().description("Whether the frame is shown around your picture, for everyone."),
  expires_at: nullable(time(exampleTime(exampleIds.coinOrder, 2_592_060))).description(
    "When your ownership expires. Null: you own it permanently, or not at all. Extension.",
  ),
}).meta({ name: "Frame" });
export type Frame = Infer<typeof frame>;

export const vipPlan = object({
  id: id(exampleIds.vipPlan),
  name: line(1, 60, "Gold"),
  price: money(29_900),
  currency: currency(),
  duration_days: integer(1, 3660, 30),
  renews: flag()
    .description(
      "Whether an order of it on the web starts a subscription. In an app, the store's product says it. Extension.",
    )
    .example(false),
  benefits: listOf(text(1, 200, "A golden badge on your card")),
  badge_url: nullable(url("https://cdn.example.com/badges/gold.png")),
  store_product_id: soldAs(),
}).meta({ name: "VipPlan" });
export type VipPlan = Infer<typeof vipPlan>;
