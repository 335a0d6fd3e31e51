import Joi from "joi";
import {
  cursorQuery,
  flag,
  type Infer,
  id,
  integer,
  limits,
  object,
  oneOf,
  optional,
  pageQuery,
  text,
  url,
  withDefault,
} from "#shared/contracts/fields.ts";
import { mediaTypes, postVisibilities } from "#shared/contracts/views.ts";
import type { PostInput } from "#shared/domain/posts/create-post.ts";
import { feedDepth } from "#shared/domain/posts/feed.queries.ts";

export const postParams = object({ id: id() });
export type PostParams = Infer<typeof postParams>;

export const commentParams = object({ id: id(), commentId: id() });
export type CommentParams = Infer<typeof commentParams>;

export const feedQuery = object({
  page: withDefault(
    pageQuery.page.description(
      `Pages number the newest ${feedDepth} posts. Not heeded beside \`before\` or \`cursor\`.`,
    ),
    1,
  ),
  limit: optional(
    Joi.number().integer().min(1).max(100).description("20 unless told; 50 with `before` or `cursor`.").example(20),
  ),
  as_of: optional(
    id().description(
      "Extension: the id of the first post of page 1. The other pages are then counted from it, so that posts which came meanwhile do not move them.",
    ),
  ),
  before: optional(
    id().description("Extension: the id of the last post seen. Answers the cursor object: what comes after it."),
  ),
  cursor: optional(oneOf("1", "true").description("Extension: answers the cursor object from the newest post on.")),
});
export type FeedQuery = Infer<typeof feedQuery>;

export interface CursorQuery {
  before?: string;
  limit: number;
}
export const listQuery = object(cursorQuery);

const media = object({
  url: url("https://cdn.example.com/sunset.jpg").description("https or http; the server never fetches it."),
  type: oneOf(...mediaTypes),
});

/** `.or` sees only that a member is there, and both may be there and empty. */
const saysSomething: Joi.CustomValidator<PostInput> = (post, helpers) =>
  post.content || post.media?.length
    ? post
    : helpers.error("object.missing", { peersWithLabels: ["content", "media"] });

// No defaults here: with a default the member is always there, and `.or` would never refuse.
export const postBody = object({
  content: optional(text(0, limits.postLength, "What a night! Thank you all.")),
  media: optional(Joi.array().items(media).max(limits.postMediaMax)),
  visibility: optional(
    oneOf(...postVisibilities).description("Extension: who may read it, everybody (the default) or your followers."),
  ),
})
  .or("content", "media")
  .custom(saysSomething)
  .description("Content or media must be there, and one of the two not empty.");

export const commentBody = object({ content: text(1, limits.commentLength, "Encore!") });
export type CommentBody = Infer<typeof commentBody>;

export const likeState = object({
  liked: flag().description("Whether you like the post now."),
  likes_count: integer(0, Number.MAX_SAFE_INTEGER, 13),
});
