import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";

/** A notification of administrators to many users. */
export class BroadcastModel extends Model {}

BroadcastModel.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    title: DataTypes.TEXT,
    body: DataTypes.TEXT,
    audience: DataTypes.TEXT,
    country: DataTypes.CHAR(2),
    status: DataTypes.TEXT,
    scheduled_at: DataTypes.DATE,
    recipients: DataTypes.INTEGER,
    notified: DataTypes.INTEGER,
    created_by: DataTypes.UUID,
    created_at: DataTypes.DATE,
    started_at: DataTypes.DATE,
    ended_at: DataTypes.DATE,
  },
  { sequelize, tableName: "broadcasts" },
);
