import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

export class RoleModel extends Model {}

RoleModel.init(
  {
    ...managedColumns,
    name: { type: DataTypes.TEXT, allowNull: false },
    permissions: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
  },
  { sequelize, tableName: "roles" },
);
