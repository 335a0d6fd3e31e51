import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from "sequelize";
import type { FriendRequest as FriendRequestView } from "#shared/contracts/views.ts";
import { sequelize } from "#shared/db/sequelize.ts";

/** A friend request. `answered_at` is null while it is pending. */
export class FriendRequest extends Model<InferAttributes<FriendRequest>, InferCreationAttributes<FriendRequest>> {
  declare id: string;
  declare sender_id: string;
  declare recipient_id: string;
  declare status: CreationOptional<FriendRequestView["status"]>;
  declare created_at: CreationOptional<Date>;
  declare answered_at: CreationOptional<Date | null>;
}

FriendRequest.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    sender_id: { type: DataTypes.UUID, allowNull: false },
    recipient_id: { type: DataTypes.UUID, allowNull: false },
    status: { type: DataTypes.TEXT, allowNull: false, defaultValue: "pending" },
    created_at: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
    answered_at: { type: DataTypes.DATE, allowNull: true },
  },
  { sequelize, tableName: "friend_requests" },
);
