import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export class GiftCategoryModel extends Model {}

GiftCategoryModel.init(
  {
    ...managedColumns,
    ...retirable,
    name: { type: DataTypes.TEXT, allowNull: false },
    position: { type: DataTypes.INTEGER, allowNull: false },
  },
  { sequelize, tableName: "gift_categories" },
);
