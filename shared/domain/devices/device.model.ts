import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";

export const devicePlatforms = ["android", "ios", "web"] as const;
export type DevicePlatform = (typeof devicePlatforms)[number];

/** One installed app of one person, and where pushes reach it. */
export class Device extends Model<InferAttributes<Device>, InferCreationAttributes<Device>> {
  declare id: string;
  declare user_id: string;
  declare session_id: string;
  declare platform: DevicePlatform;
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
