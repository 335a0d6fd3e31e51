import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  coins,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  time,
  timeZone,
} from "#shared/contracts/fields.ts";

export const offerKinds = ["first_purchase", "happy_hours", "coupon", "campaign"] as const;
export type OfferKind = (typeof offerKinds)[number];

const hour = (example: string) =>
  Joi.string()
    .pattern(/^([01]\d|2[0-3]):[0-5]\d$/, "a time of day such as 18:00")
    .example(example);

export const happyHours = object({
  days: listOf(integer(1, 7, 5))
    .min(1)
    .max(7)
    .unique()
    .description("Weekdays on which the hours begin: 1 is Monday."),
  from: hour("18:00"),
  to: hour("21:00").description("Exclusive. At or before `from`: on the next day."),
  zone: timeZone("days"),
});
export type HappyHours = Infer<typeof happyHours>;

/** Becomes upper case after the pattern: Joi's `uppercase` comes before it, and makes "ASSA" of "aßa". */
export const couponCode = () =>
  Joi.string()
    .pattern(/^[A-Za-z0-9-]{4,32}$/, "4 to 32 characters from A-Z, a-z, 0-9, and -")
    .custom((value: string) => value.toUpperCase())
    .example("ONAM-2026");

const endsAt = () => nullable(time("2026-02-01T00:00:00.000Z"));

/** What the caller's best offer makes of a package. */
export const packageOffer = object({
  id: id(exampleIds.offer),
  name: line(1, 60, "Happy hour"),
  kind: oneOf(...offerKinds).example("happy_hours"),
  bonus_coins: coins(120).description("Coins credited in addition to `coins` and `bonus_coins` of the package."),
  price: integer(1, 1_000_000_000_000, 49_900).description("What is paid instead of the package's `price`."),
  ends_at: endsAt(),
}).meta({ name: "PackageOffer" });

/** What an order keeps of its offer. */
export const orderOffer = object({
  id: id(exampleIds.offer),
  bonus_coins: coins(120).description("Part of the order's `coins`."),
  discount: integer(0, 1_000_000_000_000, 0).description("How much less than the package's price `amount` is."),
}).meta({ name: "OrderOffer" });

/** What bounds a user's purchases, by the settings. */
export const purchaseLimits = object({
  blocked_until: nullable(time("2026-02-01T00:00:00Z")).description(
    "Because too many of their purchases were refunded.",
  ),
  spent_currencies: listOf(Joi.string().length(3).example("INR")).description(
    "In which a new account can't spend more today.",
  ),
  cleared_at: nullable(time("2026-01-20T10:00:00.000Z")).description("When an administrator lifted this last."),
}).meta({ name: "PurchaseLimits" });
export type PurchaseLimits = Infer<typeof purchaseLimits>;

export const couponGift = object({
  offer_id: id(exampleIds.offer),
  name: line(1, 60, "Onam"),
  bonus_percent: integer(0, 500, 20),
  bonus_coins: coins(0),
  discount_percent: integer(0, 90, 0),
  package_ids: listOf(id(exampleIds.coinPackage)).description("The packages that it is for. Empty: all."),
  ends_at: endsAt(),
}).meta({ name: "CouponGift" });
export type CouponGift = Infer<typeof couponGift>;
