import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from "sequelize";
import type { Report as ReportView } from "#shared/contracts/views.ts";
import { sequelize } from "#shared/db/sequelize.ts";

/** A report and its outcome. `closed_at` is null while it is open. */
export class Report extends Model<InferAttributes<Report>, InferCreationAttributes<Report>> {
  declare id: string;
  declare reporter_id: string;
  declare target_type: ReportView["target_type"];
  declare target_id: string;
  declare target_user_id: string;
  declare reason: string;
  declare details: string;
  declare evidence: object;
  declare status: CreationOptional<ReportView["status"]>;
  declare created_at: CreationOptional<Date>;
  declare closed_at: CreationOptional<Date | null>;
  declare closed_by: CreationOptional<string | null>;
  declare note: CreationOptional<string>;
}

Report.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    reporter_id: { type: DataTypes.UUID, allowNull: false },
    target_type: { type: DataTypes.TEXT, allowNull: false },
    target_id: { type: DataTypes.UUID, allowNull: false },
    target_user_id: { type: DataTypes.UUID, allowNull: false },
    reason: { type: DataTypes.TEXT, allowNull: false },
    details: { type: DataTypes.TEXT, allowNull: false },
    evidence: { type: DataTypes.JSONB, allowNull: false },
    status: { type: DataTypes.TEXT, allowNull: false, defaultValue: "open" },
    created_at: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
    closed_at: { type: DataTypes.DATE, allowNull: true },
    closed_by: { type: DataTypes.UUID, allowNull: true },
    note: { type: DataTypes.TEXT, allowNull: false, defaultValue: "" },
  },
  { sequelize, tableName: "reports" },
);
