import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** For the admin API; its description shows neither hashes nor secrets. */
export class AdminModel extends Model {}

AdminModel.init(
  {
    ...managedColumns,
    email: { type: DataTypes.TEXT, allowNull: false },
    full_name: { type: DataTypes.TEXT, allowNull: false },
    role_id: { type: DataTypes.UUID, allowNull: false },
    status: { type: DataTypes.TEXT, allowNull: false },
    password_hash: { type: DataTypes.TEXT, allowNull: false },
    totp_secret: DataTypes.TEXT,
    mfa_enabled_at: { type: DataTypes.DATE, field: "totp_confirmed_at" },
  },
  { sequelize, tableName: "admins" },
);
