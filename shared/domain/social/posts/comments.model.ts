import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";

/** For writing comments. The queries read them with their own statements. */
export class CommentModel extends Model<InferAttributes<CommentModel>, InferCreationAttributes<CommentModel>> {
  declare id: string;
  declare post_id: string;
  declare author_id: string;
  declare content: string;
  declare created_at: CreationOptional<Date>;
}

CommentModel.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    post_id: { type: DataTypes.UUID, allowNull: false },
    author_id: { type: DataTypes.UUID, allowNull: false },
    content: { type: DataTypes.TEXT, allowNull: false },
    created_at: DataTypes.DATE,
  },
  { sequelize, tableName: "post_comments" },
);
