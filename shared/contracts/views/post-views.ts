import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  count,
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
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { heldMark } from "./held-views.ts";
import { userCard } from "./user-views.ts";

/** Views of the feed. */

export const mediaTypes = ["image", "video", "audio"] as const;

export const postMedia = object({
  url: url("https://cdn.example.com/sunset.jpg"),
  type: oneOf(...mediaTypes),
  width: optional(nullable(integer(1, 65_535, 960))),
  height: optional(nullable(integer(1, 65_535, 640))),
  blurhash: optional(nullable(Joi.string().max(100).example("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))),
  variants: optional(
    listOf(object({ name: oneOf("small", "medium", "large", "original"), url: url() })).description(
      "Smaller sizes of an uploaded picture.",
    ),
  ),
}).meta({ name: "PostMedia" });
export type PostMedia = Infer<typeof postMedia>;

/** Who can see a post: everyone, or only its author and their followers. */
export const postVisibilities = ["public", "followers"] as const;
export type PostVisibility = (typeof postVisibilities)[number];

export const post = object({
  id: id(exampleIds.post),
  author: userCard,
  content: text(0, limits.postLength, "What a night! Thank you all."),
  media: listOf(postMedia),
  visibility: oneOf(...postVisibilities),
  likes_count: count(12).description("All likes, also of users whom you can't see."),
  comments_count: count(3).description("The comments that you can see. Above 100, all of them."),
  liked_by_me: flag(false),
  created_at: time(exampleTime(exampleIds.post)),
  held: heldMark(),
}).meta({ name: "Post" });
export type Post = Infer<typeof post>;

export const comment = object({
  id: id(exampleIds.comment),
  post_id: id(exampleIds.post),
  author: userCard,
  content: text(0, limits.commentLength, "Encore!"),
  created_at: time(exampleTime(exampleIds.comment)),
  held: heldMark(),
}).meta({ name: "Comment" });
export type Comment = Infer<typeof comment>;
