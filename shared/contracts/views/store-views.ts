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
import { currency, money } from "./payment-views.ts";

/** Items in the store. */

export const frame = object({
  id: id(),
  name: line(1, 60, "Aurora"),
  image_url: url(),
  price: coins(300),
  duration_days: nullable(integer(1, 3660, 30)).description("How long a purchase lasts, in days. Null: permanently."),
  owned_by_me: flag(),
  equipped: flag(false).description("Whether the frame is shown around your picture, for everyone."),
  expires_at: nullable(time()).description(
    "When your ownership expires. Null: you own it permanently, or not at all. Extension.",
  ),
}).meta({ name: "Frame" });
export type Frame = Infer<typeof frame>;

export const vipPlan = object({
  id: id(),
  name: line(1, 60, "Gold"),
  price: money(29_900),
  currency: currency(),
  duration_days: integer(1, 3660, 30),
  benefits: listOf(text(1, 200, "A badge beside your name")),
  badge_url: nullable(url()),
}).meta({ name: "VipPlan" });
export type VipPlan = Infer<typeof vipPlan>;
