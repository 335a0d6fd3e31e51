import type { Model } from "sequelize";
import {
  type Column,
  code,
  decimal,
  defaulted,
  defineModel,
  integer,
  json,
  nullable,
  small,
  text,
  texts,
  time,
} from "#shared/db/model.ts";
import { retirable } from "#shared/domain/base/managed/managed-resource.ts";
import { sanitized } from "./sanitize.ts";

/** The records of the catalogue. Money is text, exactly. */

const id = { ...defaulted(integer()), primaryKey: true, autoIncrement: true };
const recorded = { version: defaulted(integer()), created_at: defaulted(time()), updated_at: defaulted(time()) };
const sortBy = defaulted(small());

/** Text with markup, sanitised whenever it is set. */
const markup = (name: string): Column<string, true> => ({
  ...defaulted(text()),
  set(this: Model, value: string) {
    this.setDataValue(name, sanitized(value));
  },
});

const product = {
  id,
  category_id: integer(),
  name: text(),
  slug: text(),
  region: text(),
  note: nullable(text()),
  status: defaulted(small()),
  instant_delivery: defaulted(small()),
  image_url: text(),
  preview_url: text(),
  description: markup("description"),
  guide: markup("guide"),
  sort_by: sortBy,
  total_review: defaulted(integer()),
  ...recorded,
  ...retirable,
};

const priced = {
  price: decimal(),
  discount: defaulted(decimal()),
  discount_type: defaulted(text()),
};

const service = {
  id,
  name: text(),
  image_url: text(),
  currency: code(3),
  ...priced,
  status: defaulted(small()),
  sort_by: sortBy,
  ...recorded,
  ...retirable,
};

export const CategoryModel = defineModel("catalogue_categories", {
  id,
  name: text(),
  icon: text(),
  type: text(),
  ...recorded,
});

export const TopUpModel = defineModel("catalogue_top_ups", { ...product, order_information: json() });

export const ServiceModel = defineModel("catalogue_services", { ...service, top_up_id: integer() });

export const DiscountModel = defineModel("catalogue_campaigns", {
  id,
  name: defaulted(text()),
  service_id: integer(),
  ...priced,
  max_sell: integer(),
  offered_sell: defaulted(integer()),
  starts_at: time(),
  ends_at: time(),
  ended_at: nullable(time()),
  ...recorded,
});

export const CardModel = defineModel("catalogue_cards", {
  ...product,
  sell_count: defaulted(integer()),
  trending: defaulted(small()),
});

export const CardServiceModel = defineModel("catalogue_card_services", { ...service, card_id: integer() });

export const GatewayModel = defineModel("catalogue_gateways", {
  id,
  code: text(),
  name: text(),
  sort_by: sortBy,
  image_url: text(),
  status: defaulted(small()),
  parameter_names: defaulted(texts()),
  parameters_sealed: nullable(text()),
  currencies: json(),
  extra_parameters: nullable(json()),
  supported_currency: texts(),
  receivable_currencies: json(),
  description: defaulted(text()),
  currency_type: sortBy,
  is_sandbox: defaulted(small()),
  environment: defaulted(text()),
  is_manual: nullable(small()),
  note: nullable(text()),
  ...recorded,
});
