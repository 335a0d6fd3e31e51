import { type DataType, DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { retirable } from "#shared/domain/base/managed/managed-resource.ts";
import { sanitized } from "./sanitize.ts";

/** The records of the catalogue, as they are written. Money is text: Sequelize returns numerics exactly. */

const id = { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true } as const;
const required = (type: DataType) => ({ type, allowNull: false }) as const;
const bit = (defaultValue: 0 | 1) => ({ type: DataTypes.SMALLINT, allowNull: false, defaultValue }) as const;
const times = {
  created_at: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
  updated_at: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
} as const;
const version = { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 } as const;
const sortBy = { type: DataTypes.SMALLINT, allowNull: false, defaultValue: 1 } as const;

/** Text with markup, sanitised whenever it is set. */
const markup = (name: string) =>
  ({
    type: DataTypes.TEXT,
    allowNull: false,
    defaultValue: "",
    set(this: Model, value: string) {
      this.setDataValue(name, sanitized(value));
    },
  }) as const;

const product = {
  id,
  category_id: required(DataTypes.INTEGER),
  name: required(DataTypes.TEXT),
  slug: required(DataTypes.TEXT),
  region: required(DataTypes.TEXT),
  note: DataTypes.TEXT,
  status: bit(1),
  instant_delivery: bit(0),
  image_url: required(DataTypes.TEXT),
  preview_url: required(DataTypes.TEXT),
  description: markup("description"),
  guide: markup("guide"),
  sort_by: sortBy,
  total_review: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  version,
  ...retirable,
  ...times,
};

const priced = {
  price: required(DataTypes.DECIMAL(16, 4)),
  discount: { type: DataTypes.DECIMAL(16, 4), allowNull: false, defaultValue: "0" },
  discount_type: { type: DataTypes.TEXT, allowNull: false, defaultValue: "percentage" },
};

const service = {
  id,
  name: required(DataTypes.TEXT),
  image_url: required(DataTypes.TEXT),
  currency: required(DataTypes.CHAR(3)),
  ...priced,
  status: bit(1),
  sort_by: sortBy,
  version,
  ...retirable,
  ...times,
};

class Record extends Model {
  declare readonly id: number;
}

export class CategoryModel extends Record {}
CategoryModel.init(
  {
    id,
    name: required(DataTypes.TEXT),
    icon: required(DataTypes.TEXT),
    type: required(DataTypes.TEXT),
    version,
    ...times,
  },
  { sequelize, tableName: "catalogue_categories" },
);

export class TopUpModel extends Record {}
TopUpModel.init(
  { ...product, order_information: required(DataTypes.JSONB) },
  { sequelize, tableName: "catalogue_top_ups" },
);

export class ServiceModel extends Record {}
ServiceModel.init(
  { ...service, top_up_id: required(DataTypes.INTEGER) },
  { sequelize, tableName: "catalogue_services" },
);

export class DiscountModel extends Record {}
DiscountModel.init(
  {
    id,
    name: { type: DataTypes.TEXT, allowNull: false, defaultValue: "Campaign" },
    service_id: required(DataTypes.INTEGER),
    ...priced,
    max_sell: required(DataTypes.INTEGER),
    offered_sell: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    starts_at: required(DataTypes.DATE),
    ends_at: required(DataTypes.DATE),
    ended_at: DataTypes.DATE,
    version,
    ...times,
  },
  { sequelize, tableName: "catalogue_campaigns" },
);

export class CardModel extends Record {}
CardModel.init(
  { ...product, sell_count: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }, trending: bit(0) },
  { sequelize, tableName: "catalogue_cards" },
);

export class CardServiceModel extends Record {}
CardServiceModel.init(
  { ...service, card_id: required(DataTypes.INTEGER) },
  { sequelize, tableName: "catalogue_card_services" },
);

export class GatewayModel extends Record {}
GatewayModel.init(
  {
    id,
    code: required(DataTypes.TEXT),
    name: required(DataTypes.TEXT),
    sort_by: sortBy,
    image_url: required(DataTypes.TEXT),
    status: bit(1),
    parameter_names: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] },
    currencies: required(DataTypes.JSONB),
    extra_parameters: DataTypes.JSONB,
    supported_currency: required(DataTypes.ARRAY(DataTypes.TEXT)),
    receivable_currencies: required(DataTypes.JSONB),
    description: required(DataTypes.TEXT),
    currency_type: sortBy,
    is_sandbox: bit(0),
    environment: required(DataTypes.TEXT),
    is_manual: DataTypes.SMALLINT,
    note: DataTypes.TEXT,
    version,
    ...times,
  },
  { sequelize, tableName: "catalogue_gateways" },
);
