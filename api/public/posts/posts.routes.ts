import Joi from "joi";
import { cursorPageOf, object, pageOf } from "#shared/contracts/fields.ts";
import { comment, post } from "#shared/contracts/views.ts";
import { addComment } from "#shared/domain/posts/add-comment.ts";
import { listComments } from "#shared/domain/posts/comments.queries.ts";
import { createPost, type PostInput } from "#shared/domain/posts/create-post.ts";
import { deleteComment } from "#shared/domain/posts/delete-comment.ts";
import { deletePost } from "#shared/domain/posts/delete-post.ts";
import { getPost, listUserPosts } from "#shared/domain/posts/posts.queries.ts";
import { toggleLike } from "#shared/domain/posts/toggle-like.ts";
import { type Route, route } from "../../http/route.ts";
import { getFeed } from "./posts.handlers.ts";
import * as schemas from "./posts.schemas.ts";

const user = { tag: "Feed", auth: "user" } as const;

export const postsRoutes = (): Route[] => [
  route<object, schemas.FeedQuery>({
    ...user,
    method: "get",
    path: "/posts",
    summary: "Public posts and those of whom you follow, newest first",
    description:
      "Without posts that were hidden or removed, and without those of anybody who has blocked you or whom you have blocked. The paged object unless `before` or `cursor` is sent: a page shifts when somebody posts, unless `as_of` holds it; by cursor nothing shifts.",
    query: schemas.feedQuery,
    response: Joi.alternatives(pageOf(post), cursorPageOf(post)),
    handler: getFeed,
  }),
  route<object, object, PostInput>({
    ...user,
    method: "post",
    path: "/posts",
    summary: "Post something",
    description: "Addresses of media are kept as they are; the server never fetches them.",
    body: schemas.postBody,
    status: 201,
    response: post,
    rateLimit: { points: 20, seconds: 60, by: "user" },
    handler: ({ caller, body }) => createPost(caller, body),
  }),
  route<schemas.PostParams>({
    ...user,
    method: "get",
    path: "/posts/:id",
    summary: "A post that you may see",
    params: schemas.postParams,
    response: post,
    handler: ({ caller, params }) => getPost(caller.userId, params.id),
  }),
  route<schemas.PostParams>({
    ...user,
    method: "delete",
    path: "/posts/:id",
    summary: "Delete a post of yours",
    params: schemas.postParams,
    response: object({}),
    errors: ["FORBIDDEN"],
    handler: async ({ caller, params }) => {
      await deletePost(caller, params.id);
      return {};
    },
  }),
  route<schemas.PostParams>({
    ...user,
    method: "post",
    path: "/posts/:id/like",
    summary: "Like a post, or take your like back",
    params: schemas.postParams,
    response: schemas.likeState,
    rateLimit: { points: 120, seconds: 60, by: "user" },
    handler: ({ caller, params }) => toggleLike(caller, params.id),
  }),
  ...commentRoutes(),
  route<schemas.PostParams, schemas.CursorQuery>({
    ...user,
    method: "get",
    path: "/users/:id/posts",
    summary: "What somebody has posted, newest first",
    description: "Posts for followers are listed to followers and to their author.",
    params: schemas.postParams,
    query: schemas.listQuery,
    response: cursorPageOf(post),
    extension: true,
    handler: ({ caller, params, query }) => listUserPosts(caller.userId, params.id, query),
  }),
];

const commentRoutes = (): Route[] => [
  route<schemas.PostParams, schemas.CursorQuery>({
    ...user,
    method: "get",
    path: "/posts/:id/comments",
    summary: "Comments on a post, newest first",
    description:
      "Comments of people who have blocked you, or whom you have blocked, are not listed; `comments_count` of the post counts them.",
    params: schemas.postParams,
    query: schemas.listQuery,
    response: cursorPageOf(comment),
    handler: ({ caller, params, query }) => listComments(caller.userId, params.id, query),
  }),
  route<schemas.PostParams, object, schemas.CommentBody>({
    ...user,
    method: "post",
    path: "/posts/:id/comments",
    summary: "Comment on a post",
    params: schemas.postParams,
    body: schemas.commentBody,
    status: 201,
    response: comment,
    rateLimit: { points: 30, seconds: 60, by: "user" },
    handler: ({ caller, params, body }) => addComment(caller, params.id, body.content),
  }),
  route<schemas.CommentParams>({
    ...user,
    method: "delete",
    path: "/posts/:id/comments/:commentId",
    summary: "Delete a comment; its writer or the author of the post",
    params: schemas.commentParams,
    response: object({}),
    errors: ["FORBIDDEN"],
    extension: true,
    handler: async ({ caller, params }) => {
      await deleteComment(caller, params.id, params.commentId);
      return {};
    },
  }),
];
