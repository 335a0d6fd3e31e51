import type { HappyHours } from "#shared/contracts/views.ts";
import { bigint, defaulted, defineModel, integer, json, nullable, text, texts, time, uuid } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

/** Coins or a price that are better than those of the packages. */
export const OfferModel = defineModel("offers", {
  ...managedColumns,
  ...retirable,
  name: text(),
  kind: text(),
  bonus_percent: defaulted(integer()),
  bonus_coins: defaulted(bigint()),
  discount_percent: defaulted(integer()),
  package_ids: defaulted(texts()),
  countries: defaulted(texts()),
  user_ids: defaulted(texts()),
  new_user_days: nullable(integer()),
  starts_at: nullable(time()),
  ends_at: nullable(time()),
  hours: nullable(json<HappyHours>()),
  total_limit: nullable(integer()),
  person_limit: nullable(integer()),
  used: defaulted(integer()),
});

/** A code that opens an offer of the kind `coupon` to those who enter it. */
export const CouponModel = defineModel("coupons", {
  ...managedColumns,
  ...retirable,
  offer_id: uuid(),
  name: text(),
  code: text(),
  claims_max: nullable(integer()),
  claims: defaulted(integer()),
});
