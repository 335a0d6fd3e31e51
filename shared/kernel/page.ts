/** Which page of a list a caller wants; `page` from 1, `limit` 1..100. */
export interface PageQuery {
  readonly page: number;
  readonly limit: number;
}

/** A paged list, in the format of the contract. */
export interface Page<T> {
  readonly items: T[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly total_pages: number;
}

/** Which part of a cursor list a caller wants: what follows the item with the id `before`, or the newest items. */
export interface CursorQuery {
  readonly before?: string;
  readonly limit: number;
}

/** A page of a cursor list, newest first. `next_before` is the cursor of the next page, null on the last page. */
export interface CursorPage<T> {
  readonly items: T[];
  readonly next_before: string | null;
}

/**
 * Matches beyond it are neither counted nor shown in pages of the lists of administrators: counting reads all of them.
 */
export const countMax = 5_000;

/** What the documents say about it. */
export const countMaxText = `Counts and pages at most the first ${countMax.toLocaleString("en")} matches: narrow the list, or download it, to see more.`;

export function toPage<T>(items: T[], total: number, { page, limit }: PageQuery): Page<T> {
  return { items, page, limit, total, total_pages: Math.ceil(total / limit) };
}

/** Returns how many items precede a page. */
export const offsetOf = ({ page, limit }: PageQuery): number => (page - 1) * limit;

/** Sorts after every id: a cursor list without a cursor begins here. */
export const newestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Sorts before every id. */
export const oldestId = "00000000-0000-0000-0000-000000000000";
