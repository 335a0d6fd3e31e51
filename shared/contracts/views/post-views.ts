import { count, flag, id, limits, listOf, oneOf, text, time, url, view } from "#shared/contracts/fields.ts";
import { type UserCard, userCard } from "./user-views.ts";

/** Views of the feed. */

export const mediaTypes = ["image", "video", "audio"] as const;

export interface PostMedia {
  url: string;
  type: (typeof mediaTypes)[number];
}

export const postMedia = view<PostMedia>({
  url: url("https://cdn.example.com/sunset.jpg"),
  type: oneOf(...mediaTypes),
}).meta({ name: "PostMedia" });

/** Who may read a post: everybody, or its author and those who follow him. */
export const postVisibilities = ["public", "followers"] as const;
export type PostVisibility = (typeof postVisibilities)[number];

export interface Post {
  id: string;
  author: UserCard;
  content: string;
  media: PostMedia[];
  visibility: PostVisibility;
  likes_count: number;
  comments_count: number;
  liked_by_me: boolean;
  created_at: string;
}

export const post = view<Post>({
  id: id(),
  author: userCard,
  content: text(0, limits.postLength, "What a night! Thank you all."),
  media: listOf(postMedia),
  visibility: oneOf(...postVisibilities),
  likes_count: count(12),
  comments_count: count(3),
  liked_by_me: flag(false),
  created_at: time(),
}).meta({ name: "Post" });

export interface Comment {
  id: string;
  post_id: string;
  author: UserCard;
  content: string;
  created_at: string;
}

export const comment = view<Comment>({
  id: id(),
  post_id: id(),
  author: userCard,
  content: text(0, limits.commentLength, "Encore!"),
  created_at: time(),
}).meta({ name: "Comment" });
