import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export class FrameModel extends Model {}

FrameModel.init(
  {
    ...managedColumns,
    ...retirable,
    name: { type: DataTypes.TEXT, allowNull: false },
    image_url: { type: DataTypes.TEXT, allowNull: false },
    price: { type: DataTypes.BIGINT, allowNull: false },
    duration_days: DataTypes.INTEGER,
    position: { type: DataTypes.INTEGER, allowNull: false },
  },
  { sequelize, tableName: "frames" },
);
