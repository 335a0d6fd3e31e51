import { exampleIds } from "#shared/contracts/examples.ts";
import { type Fields, id, object, oneOf, optional, text } from "#shared/contracts/fields.ts";
import {
  decidedContent,
  queuedReview,
  queuedReviewDetails,
  queueKinds,
  queueStatuses,
  reviewFigures,
  toldField,
} from "#shared/contracts/views.ts";
import { decideHeldContent } from "#shared/domain/operations/review-queue/decide-review.ts";
import {
  reviewFigures as figures,
  getQueuedReview,
  listReviewQueue,
  readReviewQueue,
} from "#shared/domain/operations/review-queue/review-queue.queries.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { listRoute } from "../../list-route.ts";

const tag = "Review queue";
const reviewParams = object({ id: id(exampleIds.held) });

const filters: Fields = {
  status: oneOf(...queueStatuses),
  kind: oneOf(...queueKinds),
  user_id: id(exampleIds.grace),
  late: oneOf("true").description("Only those that are open, and due."),
};

/** What rules have held or ask about, and what users have reported: one list. */
export const reviewQueueRoutes = (): AdminRoute[] => [
  listRoute({
    tag,
    id: "listReviewQueue",
    path: "/review-queue",
    summary: "List the review queue",
    description:
      "Reports, and what rules have held or ask about. Each is due 24 hours after it was found. By `-urgency`: by harm, then by reach.",
    permission: "reports.read",
    filters,
    sorts: ["due_at", "-urgency"],
    item: queuedReview,
    list: listReviewQueue,
    download: {
      fileName: "review-queue",
      columns: [
        "id",
        "kind",
        "about",
        "user_id",
        "cause",
        "harm",
        "reach",
        "shadowed",
        "status",
        "created_at",
        "due_at",
        "decided_at",
      ],
      read: readReviewQueue,
    },
  }),
  adminRead({
    tag,
    id: "getReviewFigures",
    method: "get",
    path: "/review-figures",
    summary: "Get figures of reviews",
    description: "Of the last 30 days: how many are late, how long decisions took, and how each rule fared.",
    extension: true,
    permission: "reports.read",
    response: reviewFigures,
    handler: () => figures(),
  }),
  adminRead({
    tag,
    id: "getQueuedReview",
    method: "get",
    path: "/review-queue/:id",
    summary: "Get a queued review",
    description: "With what was written, and the history of the person.",
    extension: true,
    permission: "reports.read",
    params: reviewParams,
    response: queuedReviewDetails,
    handler: ({ params }) => getQueuedReview(params.id),
  }),
  adminWrite({
    tag,
    id: "decideHeldContent",
    method: "post",
    path: "/review-queue/:id/decide",
    summary: "Decide about held content",
    description:
      "`release`: others see it, in the order of such decisions, or go on to see it. `reject`: they never do, or no longer. The author is told, unless it was shadowed and is rejected. A report is resolved instead.",
    extension: true,
    permission: "reports.write",
    params: reviewParams,
    body: object({
      decision: oneOf("release", "reject"),
      note: optional(text(1, 1000, "An advertisement.").description("For administrators.")),
      told: toldField(),
    }).meta({ name: "DecideHeldContentBody" }),
    response: decidedContent,
    errors: ["CONFLICT"],
    audit: {
      action: "held_content.decide",
      target: ({ params }, { effects }) => [{ type: "held_content", id: params.id }, ...effects],
    },
    handler: ({ caller, params, body }) => decideHeldContent(caller, params.id, body),
  }),
];
