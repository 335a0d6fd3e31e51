import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from "sequelize";
import type { PostMedia, PostVisibility } from "#shared/contracts/views.ts";
import { sequelize } from "#shared/db/sequelize.ts";

/** For writing posts. The queries read them with their own statements, as their viewer may see them. */
export class PostModel extends Model<InferAttributes<PostModel>, InferCreationAttributes<PostModel>> {
  declare id: string;
  declare author_id: string;
  declare content: string;
  declare media: PostMedia[];
  declare visibility: PostVisibility;
  declare status: CreationOptional<"visible" | "hidden" | "removed">;
  declare created_at: CreationOptional<Date>;
  declare deleted_at: CreationOptional<Date | null>;
}

PostModel.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    author_id: { type: DataTypes.UUID, allowNull: false },
    content: { type: DataTypes.TEXT, allowNull: false },
    media: { type: DataTypes.JSONB, allowNull: false },
    visibility: { type: DataTypes.TEXT, allowNull: false },
    status: DataTypes.TEXT,
    created_at: DataTypes.DATE,
    deleted_at: DataTypes.DATE,
  },
  { sequelize, tableName: "posts" },
);
