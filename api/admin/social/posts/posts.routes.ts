import type Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { bulkResults, managedComment, managedPost } from "#shared/contracts/views.ts";
import { inBulk } from "#shared/domain/operations/moderation/in-bulk.ts";
import {
  getManagedComment,
  getManagedPost,
  listAllComments,
  listAllPosts,
  readAllComments,
  readAllPosts,
} from "#shared/domain/operations/moderation/posts.queries.ts";
import { type Content, moderate, type Verdict } from "#shared/domain/social/posts/moderate.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { listRoute } from "../../list-route.ts";
import * as schemas from "./posts.schemas.ts";

const tag = "Posts";
const permission = "posts.write";

/** A kind of content, and how its administrators see it. */
interface Kind<Item> {
  readonly type: Content;
  readonly exampleId: string;
  readonly item: Joi.ObjectSchema<Item>;
  readonly get: (id: string) => Promise<Item>;
}

const post: Kind<object> = { type: "post", exampleId: exampleIds.post, item: managedPost, get: getManagedPost };
const comment: Kind<object> = {
  type: "comment",
  exampleId: exampleIds.comment,
  item: managedComment,
  get: getManagedComment,
};

const effects: Record<Verdict, string> = {
  hide: "It no longer exists for any user, its author included, until it is shown again.",
  show: "Only what is hidden can be shown again.",
  remove: "For good: it can't be shown again.",
};

const oneRoute = ({ type, exampleId, item, get }: Kind<object>, verdict: Verdict): AdminRoute =>
  adminWrite({
    tag,
    id: `${verdict}${pascalCase(type)}`,
    method: "post",
    path: `/${type}s/:id/${verdict}`,
    summary: `${pascalCase(verdict)} a ${type}`,
    description: effects[verdict],
    ...((verdict === "show" || type === "comment") && { extension: true }),
    permission,
    params: schemas.contentParams(exampleId),
    body: schemas.moderationBody,
    response: item,
    errors: ["CONFLICT"],
    audit: { action: `${type}.${verdict}`, target: ({ params }) => ({ type, id: params.id }) },
    handler: async ({ caller, params, body }) => {
      await moderate(caller, verdict, { type, id: params.id, ...body });
      return get(params.id);
    },
  });

function bulkRoute({ type }: Kind<object>, verdict: Verdict): AdminRoute {
  const operation = `${verdict}${pascalCase(type)}s`;
  return adminWrite({
    tag,
    id: operation,
    method: "post",
    path: `/${type}s/${verdict}`,
    summary: `${pascalCase(verdict)} several ${type}s`,
    description: `Up to ${schemas.bulkMax}, each on its own: one that is rejected doesn't hold up the others. ${effects[verdict]}`,
    extension: true,
    permission,
    body: schemas.bulkModerationBody,
    response: bulkResults,
    audit: {
      action: `${type}.${verdict}`,
      target: (_call, { results }) =>
        results.filter(({ outcome }) => outcome === "done").map(({ id }) => ({ type, id })),
    },
    handler: async ({ caller, body: { ids, ...why } }) => ({
      results: await inBulk({ caller, operation }, ids, async (id) => {
        await moderate(caller, verdict, { type, id, ...why });
        return undefined;
      }),
    }),
  });
}

const verdictRoutes = (kind: Kind<object>): AdminRoute[] => [
  ...(["hide", "show", "remove"] as const).map((verdict) => oneRoute(kind, verdict)),
  ...(["hide", "remove"] as const).map((verdict) => bulkRoute(kind, verdict)),
];

const postReads = (): AdminRoute[] => [
  listRoute({
    tag,
    id: "listPosts",
    path: "/posts",
    summary: "List posts",
    description: "All posts, also those that users don't see.",
    permission: "posts.read",
    filters: schemas.contentFilters,
    sorts: ["-created_at"],
    item: managedPost,
    list: listAllPosts,
    download: {
      fileName: "posts",
      columns: [
        "id",
        "author_id",
        "status",
        "status_reason",
        "open_reports",
        "likes_count",
        "comments_count",
        "created_at",
      ],
      read: readAllPosts,
    },
  }),
  adminRead({
    tag,
    id: "getPost",
    method: "get",
    path: "/posts/:id",
    summary: "Get a post",
    permission: "posts.read",
    extension: true,
    params: schemas.contentParams(exampleIds.post),
    response: managedPost,
    handler: ({ params }) => getManagedPost(params.id),
  }),
];

const commentReads = (): AdminRoute[] => [
  listRoute({
    tag,
    id: "listComments",
    path: "/comments",
    summary: "List comments",
    description: "All comments, also those that users don't see.",
    permission: "posts.read",
    extension: true,
    filters: schemas.commentFilters,
    sorts: ["-created_at"],
    item: managedComment,
    list: listAllComments,
    download: {
      fileName: "comments",
      columns: ["id", "post_id", "author_id", "status", "status_reason", "open_reports", "created_at"],
      read: readAllComments,
    },
  }),
];

/** Posts and comments. */
export const postsRoutes = (): AdminRoute[] => [
  ...postReads(),
  ...verdictRoutes(post),
  ...commentReads(),
  ...verdictRoutes(comment),
];
