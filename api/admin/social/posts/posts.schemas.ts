import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { type Fields, id, listOf, object, oneOf, optional, text } from "#shared/contracts/fields.ts";
import { contentStatuses, toldField } from "#shared/contracts/views.ts";
import { adminReason } from "../../identity/users/users.schemas.ts";

/** The most that one bulk call changes. */
export const bulkMax = 100;

export const contentParams = (example: string) => object({ id: id(example) });

export const contentFilters: Fields = {
  q: text(2, 200, "concert tickets").description("Words that it contains."),
  author_id: id(exampleIds.grace),
  status: oneOf(...contentStatuses),
  reported: Joi.boolean().valid(true).description("Only what open reports are about.").example(true),
};
export const commentFilters: Fields = { ...contentFilters, post_id: id(exampleIds.post) };

const why = { reason: optional(adminReason()), told: toldField() };

export const moderationBody = object(why).meta({ name: "ModerationBody" });
export const bulkModerationBody = object({
  ids: listOf(id(exampleIds.post)).min(1).max(bulkMax).unique(),
  ...why,
}).meta({ name: "BulkModerationBody" });
