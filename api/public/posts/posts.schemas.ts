import Joi from "joi";
import {
  cursorQuery,
  flag,
  id,
  input,
  integer,
  limits,
  oneOf,
  pageQuery,
  text,
  url,
  view,
} from "#shared/contracts/fields.ts";
import { mediaTypes, type PostMedia, postVisibilities } from "#shared/contracts/views.ts";
import type { PostInput } from "#shared/domain/posts/create-post.ts";
import { feedDepth } from "#shared/domain/posts/feed.queries.ts";
import type { LikeState } from "#shared/domain/posts/toggle-like.ts";

export interface PostParams {
  id: string;
}
export const postParams = input<PostParams>({ id: id().required() });

export interface CommentParams extends PostParams {
  commentId: string;
}
export const commentParams = input<CommentParams>({ id: id().required(), commentId: id().required() });

export interface FeedQuery {
  page: number;
  limit?: number;
  as_of?: string;
  before?: string;
  cursor?: "1" | "true";
}

export const feedQuery = input<FeedQuery>({
  page: pageQuery.page.description(
    `Pages number the newest ${feedDepth} posts. Not heeded beside \`before\` or \`cursor\`.`,
  ),
  limit: Joi.number()
    .integer()
    .min(1)
    .max(100)
    .description("20 unless told; 50 with `before` or `cursor`.")
    .example(20),
  as_of: id().description(
    "Extension: the id of the first post of page 1. The other pages are then counted from it, so that posts which came meanwhile do not move them.",
  ),
  before: id().description("Extension: the id of the last post seen. Answers the cursor object: what comes after it."),
  cursor: oneOf("1", "true").description("Extension: answers the cursor object from the newest post on."),
});

export interface CursorQuery {
  before?: string;
  limit: number;
}
export const listQuery = input<CursorQuery>(cursorQuery);

const media = input<PostMedia>({
  url: url("https://cdn.example.com/sunset.jpg").required().description("https or http; the server never fetches it."),
  type: oneOf(...mediaTypes).required(),
});

/** `.or` sees only that a member is there, and both may be there and empty. */
const saysSomething: Joi.CustomValidator<PostInput> = (post, helpers) =>
  post.content || post.media?.length
    ? post
    : helpers.error("object.missing", { peersWithLabels: ["content", "media"] });

// No defaults here: with a default the member is always there, and `.or` would never refuse.
export const postBody = input<PostInput>({
  content: text(0, limits.postLength, "What a night! Thank you all."),
  media: Joi.array().items(media).max(limits.postMediaMax),
  visibility: oneOf(...postVisibilities).description(
    "Extension: who may read it, everybody (the default) or your followers.",
  ),
})
  .or("content", "media")
  .custom(saysSomething)
  .description("Content or media must be there, and one of the two not empty.");

export interface CommentBody {
  content: string;
}
export const commentBody = input<CommentBody>({ content: text(1, limits.commentLength, "Encore!").required() });

export const likeState = view<LikeState>({
  liked: flag().description("Whether you like the post now."),
  likes_count: integer(0, Number.MAX_SAFE_INTEGER, 13),
});
