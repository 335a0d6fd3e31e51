import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, oneOf, text } from "#shared/contracts/fields.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { queryReference, reference } from "#shared/domain/catalogue/products/managed-fields.ts";
import { ManagedReviewModel, reviewStatuses } from "./review.model.ts";

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
