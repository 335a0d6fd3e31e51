import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";

/** Coins that an administrator gives to a user or takes back. */
export class AdjustmentModel extends Model {}

AdjustmentModel.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    user_id: DataTypes.UUID,
    amount: DataTypes.BIGINT,
    reason: DataTypes.TEXT,
    status: DataTypes.TEXT,
    requested_by: DataTypes.UUID,
    decided_by: DataTypes.UUID,
    created_at: DataTypes.DATE,
    decided_at: DataTypes.DATE,
    expires_at: DataTypes.DATE,
  },
  { sequelize, tableName: "coin_adjustments" },
);
