import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export class GiftModel extends Model {}

GiftModel.init(
  {
    ...managedColumns,
    ...retirable,
    category_id: { type: DataTypes.UUID, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    image_url: { type: DataTypes.TEXT, allowNull: false },
    animation_url: DataTypes.TEXT,
    price: { type: DataTypes.BIGINT, allowNull: false },
    position: { type: DataTypes.INTEGER, allowNull: false },
  },
  { sequelize, tableName: "gifts" },
);
