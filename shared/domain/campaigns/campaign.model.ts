import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";

/** Something that the service announces for a limited time. */
export class CampaignModel extends Model<InferAttributes<CampaignModel>, InferCreationAttributes<CampaignModel>> {
  declare id: string;
  declare title: string;
  declare description: string;
  declare image_url: string | null;
  declare link: string | null;
  declare starts_at: Date;
  declare ends_at: Date;
  declare created_at: CreationOptional<Date>;
}

CampaignModel.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    title: { type: DataTypes.TEXT, allowNull: false },
    description: { type: DataTypes.TEXT, allowNull: false },
    image_url: DataTypes.TEXT,
    link: DataTypes.TEXT,
    starts_at: { type: DataTypes.DATE, allowNull: false },
    ends_at: { type: DataTypes.DATE, allowNull: false },
    created_at: DataTypes.DATE,
  },
  { sequelize, tableName: "campaigns" },
);
