import { object, optional } from "#shared/contracts/fields.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import { idSchema } from "#shared/domain/base/managed/managed-resource.ts";
import { managedReviews } from "#shared/domain/catalogue/reviews/managed-reviews.ts";
import { moderateReview, type ReviewVerdict } from "#shared/domain/catalogue/reviews/moderate-review.ts";
import { type AdminRoute, adminWrite } from "../../http/admin-route.ts";
import { adminReason } from "../identity/users/users.schemas.ts";
import { managedReads, managedRecord } from "../managed-routes.ts";

const tag = "Catalogue";

const effects: Record<ReviewVerdict, string> = {
  publish: "Shows a held review, and counts its rating.",
  hold: "Hides a published review until it is published again. Its rating no longer counts.",
  remove: "Hides a review for good. Its author can't review the top-up again.",
};

const verdictRoute = (verdict: ReviewVerdict): AdminRoute =>
  adminWrite({
    tag,
    id: `${verdict}CatalogueReview`,
    method: "post",
    path: `/catalogue/reviews/:id/${verdict}`,
    summary: `${verdict[0]!.toUpperCase()}${verdict.slice(1)} a review`,
    description: effects[verdict],
    permission: "catalogue_reviews.write",
    params: object({ id: idSchema(managedReviews) }),
    body: object({ reason: optional(adminReason()) }).meta({ name: "ReviewVerdictBody" }),
    response: managedRecord(managedReviews),
    errors: ["CONFLICT"],
    audit: {
      action: `catalogue_review.${verdict}`,
      target: ({ params }) => ({ type: "catalogue_review", id: String(params.id) }),
    },
    handler: async ({ caller, params, body }) => {
      await moderateReview(caller, verdict, { id: params.id, reason: body.reason });
      return getManaged(managedReviews, params.id);
    },
  });

/** The reviews of top-ups. */
export const reviewsRoutes = (): AdminRoute[] => [
  ...managedReads(managedReviews, tag),
  ...(["publish", "hold", "remove"] as const).map(verdictRoute),
];
