import { DataTypes, Model } from "sequelize";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, oneOf, text } from "#shared/contracts/fields.ts";
import { sequelize } from "#shared/db/sequelize.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { queryReference, reference } from "#shared/domain/catalogue/products/managed-fields.ts";

const reviewStatuses = ["held", "published", "removed"] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** Reads a view of the database. */
class ManagedReviewModel extends Model {}
ManagedReviewModel.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    top_up_id: DataTypes.INTEGER,
    user_id: DataTypes.UUID,
    rating: DataTypes.SMALLINT,
    comment: DataTypes.TEXT,
    status: DataTypes.TEXT,
    created_at: DataTypes.DATE,
    updated_at: DataTypes.DATE,
  },
  { sequelize, tableName: "catalogue_managed_reviews" },
);

/** Reviews, which `moderateReview` writes. */
export const managedReviews: ManagedResource = {
  resource: "catalogue_reviews",
  path: "/catalogue/reviews",
  name: "catalogue_review",
  one: "a review",
  many: "reviews of top-ups",
  model: ManagedReviewModel,
  fields: {},
  defaults: {},
  shown: {
    top_up_id: reference(),
    user_id: id(exampleIds.grace).description("The reviewer."),
    rating: integer(1, 5, 5),
    comment: text(1, 1000, "Fast and friendly."),
    status: oneOf(...reviewStatuses),
  },
  search: ["comment"],
  filters: {
    top_up_id: queryReference(),
    user_id: id(exampleIds.grace),
    rating: queryReference(5).max(5),
    status: oneOf(...reviewStatuses),
  },
  hasPeriod: true,
  sorts: ["-id", "rating"],
  exampleId: 1,
};
