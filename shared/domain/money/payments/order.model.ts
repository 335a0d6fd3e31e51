import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";

/** An order, as administrators list it. */
export class OrderModel extends Model {}

OrderModel.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    user_id: DataTypes.UUID,
    kind: DataTypes.TEXT,
    status: DataTypes.TEXT,
    title: DataTypes.TEXT,
    amount: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    coins: DataTypes.BIGINT,
    package_id: DataTypes.UUID,
    plan_id: DataTypes.UUID,
    provider: DataTypes.TEXT,
    provider_order_id: DataTypes.TEXT,
    created_at: DataTypes.DATE,
    expires_at: DataTypes.DATE,
    paid_at: DataTypes.DATE,
    refunded_at: DataTypes.DATE,
  },
  { sequelize, tableName: "payment_orders" },
);
