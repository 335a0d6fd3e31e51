import { coins, flag, id, integer, line, listOf, nullable, text, time, url, view } from "#shared/contracts/fields.ts";
import { currency, money } from "./payment-views.ts";

/** Views of what the store sells. */

export interface Frame {
  id: string;
  name: string;
  image_url: string;
  /** Coins. */
  price: number;
  duration_days: number | null;
  owned_by_me: boolean;
  equipped: boolean;
  expires_at: string | null;
}

export const frame = view<Frame>({
  id: id(),
  name: line(1, 60, "Aurora"),
  image_url: url(),
  price: coins(300),
  duration_days: nullable(integer(1, 3660, 30)).description("How long a purchase lasts; null: for good."),
  owned_by_me: flag(),
  equipped: flag(false).description("Everybody sees it around your picture."),
  expires_at: nullable(time()).description("Until when you own it; null: for good, or you do not. An extension."),
}).meta({ name: "Frame" });

export interface VipPlan {
  id: string;
  name: string;
  /** Minor units. */
  price: number;
  currency: string;
  duration_days: number;
  benefits: string[];
  badge_url: string | null;
}

export const vipPlan = view<VipPlan>({
  id: id(),
  name: line(1, 60, "Gold"),
  price: money(29_900),
  currency: currency(),
  duration_days: integer(1, 3660, 30),
  benefits: listOf(text(1, 200, "A badge beside your name")),
  badge_url: nullable(url()),
}).meta({ name: "VipPlan" });
