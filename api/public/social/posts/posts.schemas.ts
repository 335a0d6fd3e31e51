import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  cursorPageOf,
  cursorQuery,
  extend,
  flag,
  type Infer,
  id,
  integer,
  limits,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  rareId,
  text,
  union,
  url,
  withDefault,
} from "#shared/contracts/fields.ts";
import { mediaTypes, post, postVisibilities } from "#shared/contracts/views.ts";
import { feedDepth } from "#shared/domain/social/posts/feed.queries.ts";

export const postParams = object({ id: id(exampleIds.post) });
export const commentParams = object({ id: id(exampleIds.post), commentId: id(exampleIds.comment) });
export const authorParams = object({ id: id(exampleIds.grace) });

export const feedQuery = object({
  page: withDefault(
    pageQuery.page.description(
      `Pages cover the newest ${feedDepth} posts. Ignored if you send \`before\` or \`cursor\`.`,
    ),
    1,
  ),
  limit: optional(
    Joi.number()
      .integer()
      .min(1)
      .max(100)
      .description("The default is 20, or 50 with `before` or `cursor`.")
      .example(20),
  ),
  as_of: optional(
    id(exampleIds.post).description(
      "Extension: the `as_of` of page 1. Pages are then counted from that post, so newer posts don't move them.",
    ),
  ),
  before: optional(
    id(exampleIds.post).description(
      "Extension: the ID of the last post that you have. Returns a cursor list of the posts after it.",
    ),
  ),
  cursor: optional(oneOf("1", "true").description("Extension: returns a cursor list that starts at the newest post.")),
});

const feedPage = extend(pageOf(post), {
  as_of: nullable(
    id(exampleIds.post).description(
      "Extension: send it with the next pages, so that newer posts don't move them. Null without posts.",
    ),
  ),
}).meta({ name: "FeedPage" });

export const feed = union(feedPage, cursorPageOf(post))
  .description("A cursor list if you sent `before` or `cursor`, otherwise a page.")
  .meta({ name: "Feed" });

export const listQuery = object(cursorQuery);

const media = object({
  url: url("https://cdn.example.com/sunset.jpg").description("https or http. The server never fetches it."),
  type: oneOf(...mediaTypes),
});

const postFields = object({
  content: optional(text(0, limits.postLength, "What a night! Thank you all.")),
  media: optional(Joi.array<Infer<typeof media>[]>().items(media).max(limits.postMediaMax)),
  media_ids: optional(
    listOf(rareId()).max(9).unique().description("Uploads of yours with the purpose `post`, shown after `media`."),
  ),
  visibility: optional(
    oneOf(...postVisibilities).description(
      "Extension: who can see the post, everyone (the default) or only your followers.",
    ),
  ),
});

/** `.or` only checks that a field is present, and both may be present and empty. */
const hasContent: Joi.CustomValidator<Infer<typeof postFields>> = (value, helpers) =>
  value.content || value.media?.length || value.media_ids?.length
    ? value
    : helpers.error("object.missing", { peersWithLabels: ["content", "media", "media_ids"] });

// No defaults here: a field with a default is always present, and `.or` would never reject.
export const createPostBody = postFields
  .or("content", "media", "media_ids")
  .custom(hasContent)
  .description("Requires `content`, `media`, or `media_ids`. At least one of them must not be empty.")
  .meta({ name: "CreatePostBody" });

export const addCommentBody = object({ content: text(1, limits.commentLength, "Encore!") }).meta({
  name: "AddCommentBody",
});

export const likeState = object({
  liked: flag().description("Whether you like the post now."),
  likes_count: integer(0, Number.MAX_SAFE_INTEGER, 13),
}).meta({ name: "LikeState" });
