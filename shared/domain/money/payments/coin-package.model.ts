import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export class CoinPackageModel extends Model {}

CoinPackageModel.init(
  {
    ...managedColumns,
    ...retirable,
    name: { type: DataTypes.TEXT, allowNull: false },
    coins: { type: DataTypes.BIGINT, allowNull: false },
    bonus_coins: { type: DataTypes.BIGINT, allowNull: false },
    price: { type: DataTypes.BIGINT, allowNull: false },
    currency: { type: DataTypes.CHAR(3), allowNull: false },
    position: { type: DataTypes.INTEGER, allowNull: false },
  },
  { sequelize, tableName: "coin_packages" },
);
