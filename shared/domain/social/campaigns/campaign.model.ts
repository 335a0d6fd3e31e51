import { DataTypes, Model } from "sequelize";
import { sequelize } from "#shared/db/sequelize.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** Something that the service announces for a limited time. */
export class CampaignModel extends Model {
  declare id: string;
  declare title: string;
  declare description: string;
  declare image_url: string | null;
  declare link: string | null;
  declare starts_at: Date;
  declare ends_at: Date;
}

CampaignModel.init(
  {
    ...managedColumns,
    title: { type: DataTypes.TEXT, allowNull: false },
    description: { type: DataTypes.TEXT, allowNull: false },
    image_url: DataTypes.TEXT,
    link: DataTypes.TEXT,
    starts_at: { type: DataTypes.DATE, allowNull: false },
    ends_at: { type: DataTypes.DATE, allowNull: false },
  },
  { sequelize, tableName: "campaigns" },
);
