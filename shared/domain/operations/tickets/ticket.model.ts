import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from "sequelize";
import type { TicketStatus } from "#shared/contracts/views.ts";
import { sequelize } from "#shared/db/sequelize.ts";

/** A message to support, with or without an account. */
export class TicketModel extends Model<InferAttributes<TicketModel>, InferCreationAttributes<TicketModel>> {
  declare id: string;
  declare user_id: string | null;
  declare email: string;
  declare subject: string;
  declare message: string;
  declare status: CreationOptional<TicketStatus>;
  declare created_at: CreationOptional<Date>;
  declare updated_at: CreationOptional<Date>;
}

TicketModel.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    user_id: DataTypes.UUID,
    email: { type: DataTypes.TEXT, allowNull: false },
    subject: { type: DataTypes.TEXT, allowNull: false },
    message: { type: DataTypes.TEXT, allowNull: false },
    status: DataTypes.TEXT,
    created_at: DataTypes.DATE,
    updated_at: DataTypes.DATE,
  },
  { sequelize, tableName: "support_tickets" },
);
