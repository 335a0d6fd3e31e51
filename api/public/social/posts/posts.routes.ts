import { cursorPageOf, empty } from "#shared/contracts/fields.ts";
import { comment, post } from "#shared/contracts/views.ts";
import { addComment } from "#shared/domain/social/posts/add-comment.ts";
import { listComments } from "#shared/domain/social/posts/comments.queries.ts";
import { createPost } from "#shared/domain/social/posts/create-post.ts";
import { deleteComment } from "#shared/domain/social/posts/delete-comment.ts";
import { deletePost } from "#shared/domain/social/posts/delete-post.ts";
import { readFeed } from "#shared/domain/social/posts/feed.queries.ts";
import { getPost, listUserPosts } from "#shared/domain/social/posts/posts.queries.ts";
import { toggleLike } from "#shared/domain/social/posts/toggle-like.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import * as schemas from "./posts.schemas.ts";

const route = routeOf("Feed", "user");

export const postsRoutes = (): Route[] => [
  route({
    id: "getFeed",
    method: "get",
    path: "/posts",
    summary: "Get your feed",
    description:
      "Public posts and posts of the users you follow, newest first. Hidden and removed posts are left out, as are posts of users who have blocked you or whom you have blocked. By page, new posts shift the list unless you send the `as_of` of the first page with the next ones. By cursor, nothing shifts.",
    query: schemas.feedQuery,
    response: schemas.feed,
    handler: ({ caller, query }) => readFeed(caller.userId, query),
  }),
  route({
    id: "createPost",
    method: "post",
    path: "/posts",
    summary: "Create a post",
    description: "Media URLs are stored unchanged. The server never fetches them.",
    blocks: "none",
    errors: ["NOT_FOUND", "CONFLICT", "CONTENT_BLOCKED"],
    body: schemas.createPostBody,
    status: 201,
    response: post,
    rateLimit: { points: 20, seconds: 60, by: "user" },
    handler: ({ caller, body }) => createPost(caller, body),
  }),
  route({
    id: "getPost",
    method: "get",
    path: "/posts/:id",
    blocks: "content",
    summary: "Get a post",
    description: "If the post is for followers and you aren't one, the error is `NOT_FOUND`.",
    params: schemas.postParams,
    response: post,
    handler: ({ caller, params }) => getPost(caller.userId, params.id),
  }),
  route({
    id: "deletePost",
    method: "delete",
    path: "/posts/:id",
    blocks: "content",
    summary: "Delete a post",
    description: "Only the author can delete a post. Its comments are no longer shown either.",
    params: schemas.postParams,
    response: empty,
    errors: ["FORBIDDEN"],
    handler: ({ caller, params }) => deletePost(caller, params.id),
  }),
  route({
    id: "togglePostLike",
    method: "post",
    path: "/posts/:id/like",
    blocks: "content",
    summary: "Like or unlike a post",
    description: "If you already like the post, this removes your like. The author is notified of a like.",
    params: schemas.postParams,
    response: schemas.likeState,
    rateLimit: { points: 120, seconds: 60, by: "user" },
    handler: ({ caller, params }) => toggleLike(caller, params.id),
  }),
  ...commentRoutes(),
  route({
    id: "listUserPosts",
    method: "get",
    path: "/users/:id/posts",
    blocks: "person",
    summary: "List a user's posts",
    description: "Newest first. Posts for followers are listed only for the user's followers and the user.",
    params: schemas.authorParams,
    query: schemas.listQuery,
    response: cursorPageOf(post),
    extension: true,
    handler: ({ caller, params, query }) => listUserPosts(caller.userId, params.id, query),
  }),
];

const commentRoutes = (): Route[] => [
  route({
    id: "listComments",
    method: "get",
    path: "/posts/:id/comments",
    blocks: "content",
    summary: "List comments on a post",
    description:
      "Newest first. Comments of users who have blocked you, or whom you have blocked, are left out, as in the post's `comments_count`.",
    params: schemas.postParams,
    query: schemas.listQuery,
    response: cursorPageOf(comment),
    handler: ({ caller, params, query }) => listComments(caller.userId, params.id, query),
  }),
  route({
    id: "addComment",
    method: "post",
    path: "/posts/:id/comments",
    blocks: "content",
    summary: "Comment on a post",
    description: "The author of the post is notified.",
    params: schemas.postParams,
    body: schemas.addCommentBody,
    status: 201,
    response: comment,
    rateLimit: { points: 30, seconds: 60, by: "user" },
    errors: ["CONTENT_BLOCKED"],
    handler: ({ caller, params, body }) => addComment(caller, params.id, body.content),
  }),
  route({
    id: "deleteComment",
    method: "delete",
    path: "/posts/:id/comments/:commentId",
    blocks: "unaffected",
    summary: "Delete a comment",
    description: "Allowed for the author of the comment and the author of the post.",
    params: schemas.commentParams,
    response: empty,
    errors: ["FORBIDDEN"],
    extension: true,
    handler: ({ caller, params }) => deleteComment(caller, params.id, params.commentId),
  }),
];
