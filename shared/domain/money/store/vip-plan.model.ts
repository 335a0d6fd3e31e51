import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export class VipPlanModel extends Model {}

VipPlanModel.init(
  {
    ...managedColumns,
    ...retirable,
    name: { type: DataTypes.TEXT, allowNull: false },
    price: { type: DataTypes.BIGINT, allowNull: false },
    currency: { type: DataTypes.CHAR(3), allowNull: false },
    duration_days: { type: DataTypes.INTEGER, allowNull: false },
    benefits: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
    badge_url: DataTypes.TEXT,
    position: { type: DataTypes.INTEGER, allowNull: false },
  },
  { sequelize, tableName: "vip_plans" },
);
