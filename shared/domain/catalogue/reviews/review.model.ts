import { defineModel, integer, key, small, text, time, uuid } from "#shared/db/model.ts";

export const reviewStatuses = ["held", "published", "removed"] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** Reviews as administrators read them: a view of the database. */
export const ManagedReviewModel = defineModel("catalogue_managed_reviews", {
  id: key(integer()),
  top_up_id: integer(),
  user_id: uuid(),
  rating: small(),
  comment: text(),
  status: text<ReviewStatus>(),
  created_at: time(),
  updated_at: time(),
});
