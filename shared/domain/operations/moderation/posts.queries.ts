import type { ManagedComment, ManagedPost } from "#shared/contracts/views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { queryOne } from "#shared/db/query.ts";
import { commentStatus, postStatus } from "#shared/domain/social/posts/moderate.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { countMax, type PageQuery } from "#shared/kernel/page.ts";

const openReports = (type: string, id: string) =>
  `(SELECT count(*) FROM reports WHERE target_type = '${type}' AND target_id = ${id} AND status = 'open') AS open_reports`;

/** The filters of content whose row is `alias`. */
const contentFilters = (alias: string, type: string, status: string) => ({
  q: `to_tsvector('simple', ${alias}.content) @@ websearch_to_tsquery('simple', ?)`,
  author_id: `${alias}.author_id = ?`,
  status: `(${status}) = ?`,
  // The newest reports, from their index; a join would read all content.
  reported: `?::boolean AND ${alias}.id = ANY(ARRAY(
    SELECT target_id FROM reports WHERE target_type = '${type}' AND status = 'open' ORDER BY id DESC LIMIT ${countMax}))`,
});

const posts: FilteredList = {
  columns: `p.id, p.author_id, ${postStatus} AS status, p.status_reason, ${openReports("post", "p.id")}, p.content,
    p.media, p.visibility, p.likes_count, p.comments_count, p.created_at, p.deleted_at`,
  from: "posts p",
  id: "p.id",
  filters: contentFilters("p", "post", postStatus),
  sorts: { created_at: "p.id" },
};

const comments: FilteredList = {
  columns: `c.id, c.post_id, c.author_id, ${commentStatus} AS status, c.status_reason, ${openReports("comment", "c.id")},
    c.content, c.created_at`,
  from: "post_comments c",
  id: "c.id",
  filters: { post_id: "c.post_id = ?", ...contentFilters("c", "comment", commentStatus) },
  sorts: { created_at: "c.id" },
};

/** Returns a page of all posts, also those that users don't see. `q`: words. */
export const listAllPosts = (filter: ListFilter, page: PageQuery) => listFiltered<ManagedPost>(posts, filter, page);
export const readAllPosts = (filter: ListFilter) => readFiltered<ManagedPost>(posts, filter);

/** Returns a page of all comments, also those that users don't see. `q`: words. */
export const listAllComments = (filter: ListFilter, page: PageQuery) =>
  listFiltered<ManagedComment>(comments, filter, page);
export const readAllComments = (filter: ListFilter) => readFiltered<ManagedComment>(comments, filter);

async function getOne<Row extends object>({ columns, from, id: idColumn }: FilteredList, id: string): Promise<Row> {
  const found = await queryOne<Row>(`SELECT ${columns} FROM ${from} WHERE ${idColumn} = $1`, [id]);
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

/** @throws NOT_FOUND */
export const getManagedPost = (id: string) => getOne<ManagedPost>(posts, id);
/** @throws NOT_FOUND */
export const getManagedComment = (id: string) => getOne<ManagedComment>(comments, id);
