/** Which page of a list is asked for; `page` from 1, `limit` 1..100. */
export interface PageQuery {
  readonly page: number;
  readonly limit: number;
}

/** A paged list, as the contract shapes it. */
export interface Page<T> {
  readonly items: T[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly total_pages: number;
}

/** A cursor list, newest first. `next_before` is the cursor of the next page, null at the end. */
export interface CursorPage<T> {
  readonly items: T[];
  readonly next_before: string | null;
}

export function toPage<T>(items: T[], total: number, { page, limit }: PageQuery): Page<T> {
  return { items, page, limit, total, total_pages: Math.ceil(total / limit) };
}

export const offsetOf = ({ page, limit }: PageQuery): number => (page - 1) * limit;

/** Makes a cursor page of `limit + 1` rows read: the one too many only says that there are more. */
export function toCursorPage<T extends { id: string }>(rows: T[], limit: number): CursorPage<T> {
  const items = rows.slice(0, limit);
  return { items, next_before: rows.length > limit ? items[items.length - 1]!.id : null };
}
