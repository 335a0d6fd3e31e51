import type { Post } from "#shared/contracts/views.ts";
import { feedAfter, feedPage } from "#shared/domain/posts/feed.queries.ts";
import type { CursorPage, Page } from "#shared/kernel/page.ts";
import type { Call } from "../../http/route.ts";
import type { FeedQuery } from "./posts.schemas.ts";

/** The feed in the form that was asked for: by page unless by cursor. */
export async function getFeed({ caller, query }: Call<object, FeedQuery>): Promise<Page<Post> | CursorPage<Post>> {
  const { page, limit, as_of, before, cursor } = query;
  if (before || cursor) return feedAfter(caller.userId, { limit: limit ?? 50, ...(before && { before }) });
  return feedPage(caller.userId, { page, limit: limit ?? 20, ...(as_of && { as_of }) });
}
