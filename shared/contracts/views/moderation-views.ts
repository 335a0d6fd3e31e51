import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  count,
  type Fields,
  type Infer,
  id,
  limits,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
} from "#shared/contracts/fields.ts";
import { postMedia, postVisibilities } from "./post-views.ts";

/** Posts and comments as administrators see them. `deleted`: by their author. */
export const contentStatuses = ["visible", "hidden", "removed", "deleted"] as const;
export type ContentStatus = (typeof contentStatuses)[number];

const contentFields = {
  author_id: id(exampleIds.grace),
  status: oneOf(...contentStatuses).description("`deleted`: by its author."),
  status_reason: nullable(text(1, 500, "Spam").example(null)).description("Why it was hidden or removed."),
  open_reports: count(0),
} as const satisfies Fields;

export const managedPost = object({
  id: id(exampleIds.post),
  ...contentFields,
  content: text(0, limits.postLength, "What a night! Thank you all."),
  media: listOf(postMedia),
  visibility: oneOf(...postVisibilities),
  likes_count: count(12),
  comments_count: count(3),
  created_at: time(exampleTime(exampleIds.post)),
  deleted_at: nullable(time(exampleTime(exampleIds.post, 60)).example(null)),
}).meta({ name: "ManagedPost" });
export type ManagedPost = Infer<typeof managedPost>;

export const managedComment = object({
  id: id(exampleIds.comment),
  post_id: id(exampleIds.post),
  ...contentFields,
  content: text(0, limits.commentLength, "Encore!"),
  created_at: time(exampleTime(exampleIds.comment)),
}).meta({ name: "ManagedComment" });
export type ManagedComment = Infer<typeof managedComment>;

/** What became of each of several things. */
export const bulkResults = object({
  results: listOf(
    object({
      id: id(exampleIds.post),
      outcome: Joi.string().description("`done`, or the code of the error.").example("done"),
    }),
  ),
}).meta({ name: "BulkResults" });
