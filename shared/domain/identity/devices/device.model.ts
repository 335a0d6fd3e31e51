import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from "sequelize";
import type { Device as DeviceView } from "#shared/contracts/views.ts";
import { sequelize } from "#shared/db/sequelize.ts";

/** One installation of the app, and where pushes reach it. */
export class Device extends Model<InferAttributes<Device>, InferCreationAttributes<Device>> {
  declare id: string;
  declare user_id: string;
  declare session_id: string;
  declare platform: DeviceView["platform"];
  declare device_uid: string;
  declare push_token: string;
  declare created_at: CreationOptional<Date>;
  declare updated_at: CreationOptional<Date>;
}

Device.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    user_id: { type: DataTypes.UUID, allowNull: false },
    session_id: { type: DataTypes.UUID, allowNull: false },
    platform: { type: DataTypes.TEXT, allowNull: false },
    device_uid: { type: DataTypes.TEXT, allowNull: false },
    push_token: { type: DataTypes.TEXT, allowNull: false },
    created_at: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
    updated_at: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
  },
  { sequelize, tableName: "user_devices" },
);
