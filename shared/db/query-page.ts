import { clock, daysMs, startOfMonth } from "#shared/kernel/clock.ts";
import { firstIdAt, timeOfId } from "#shared/kernel/ids.ts";
import {
  type CursorPage,
  type CursorQuery,
  newestId,
  offsetOf,
  type Page,
  type PageQuery,
  toPage,
} from "#shared/kernel/page.ts";
import { query } from "./query.ts";

/** The parts of the statement behind a paged list. Each is constant text; all share the bind parameters. */
export interface PagedStatement {
  /** A common table expression that both parts read, when counting would otherwise repeat the search: `name AS (…)`. */
  readonly with?: string;
  /** Selects one number, the length of the whole list. */
  readonly count: string;
  /** Selects the page, in order. Its last two bind parameters are the limit and the offset. */
  readonly rows: string;
}

/**
 * One statement, so that a page costs one round trip. The left join keeps the count when the page is empty. The place
 * of each row keeps the order, which a join does not promise.
 */
const compose = ({ with: shared, count, rows }: PagedStatement): string => `${shared ? `WITH ${shared} ` : ""}
  SELECT counted.page_total, placed.*
  FROM (${count}) AS counted (page_total)
    LEFT JOIN (SELECT row_number() OVER () AS page_place, listed.* FROM (${rows}) AS listed) AS placed ON true
  ORDER BY placed.page_place`;

/** Texts of the statements that are constants. */
const texts = new WeakMap<PagedStatement, string>();

function pagedText(statement: PagedStatement): string {
  const text = texts.get(statement) ?? compose(statement);
  texts.set(statement, text);
  return text;
}

/**
 * Returns one page of a list. `total` is the length of the whole list, also on a page past its end. `values` are the
 * bind parameters before the limit and the offset. `read`: with `queryAnywhere`, a replica may serve it.
 */
export async function queryPage<Row extends object>(
  statement: PagedStatement,
  values: readonly unknown[],
  page: PageQuery,
  read = query,
): Promise<Page<Row>> {
  const found = await read<Row & { page_total: number; page_place: number | null }>(pagedText(statement), [
    ...values,
    page.limit,
    offsetOf(page),
  ]);
  const rows = found.filter(({ page_place }) => page_place !== null);
  // The compiler cannot subtract fields from a type that it does not know.
  const items = rows.map(({ page_total, page_place, ...row }) => row as unknown as Row);
  return toPage(items, found[0]!.page_total, page);
}

/**
 * Returns one part of a cursor list. `text` selects it, newest first; its last two bind parameters are the id that all
 * of its ids are below, and the limit. `values` are those before them. `read`: as for `queryPage`.
 */
export async function queryCursorPage<Row extends { id: string }>(
  text: string,
  values: readonly unknown[],
  { before = newestId, limit }: CursorQuery,
  read = query,
): Promise<CursorPage<Row>> {
  return cursorPage(await read<Row>(text, [...values, before, limit + 1]), limit);
}

/** The extra row only shows that there are more. */
function cursorPage<Row extends { id: string }>(rows: readonly Row[], limit: number): CursorPage<Row> {
  const items = rows.slice(0, limit);
  return { items, next_before: rows.length > limit ? items[items.length - 1]!.id : null };
}

/** What was added so shortly before is read at first, with the rest of its month, milliseconds. */
const recentMs = daysMs(7);

/** Returns the first ID of the newest one or two months, of IDs before this one. */
export const recentFrom = (before: string): string =>
  firstIdAt(startOfMonth(Math.max(Math.min(clock.now(), timeOfId(before)) - recentMs, 0)));

/**
 * Like `queryCursorPage`, of a table that is divided by month: reads the newest one or two partitions, and the older
 * ones only if those hold too few rows. Most lists end there, and PostgreSQL plans and opens all partitions that it
 * can't rule out. The last three bind parameters of `text` are the ID that none is below, the one that all are below,
 * and the limit. `oldest`: all rows have later IDs.
 */
export async function queryRecentPage<Row extends { id: string }>(
  text: string,
  values: readonly unknown[],
  { before = newestId, limit }: CursorQuery,
  { oldest, read = query }: { oldest: string; read?: typeof query },
): Promise<CursorPage<Row>> {
  const recent = recentFrom(before);
  const from = recent > oldest ? recent : oldest;
  const rows = await read<Row>(text, [...values, from, before, limit + 1]);
  const missing = limit + 1 - rows.length;
  if (missing === 0 || from === oldest) return cursorPage(rows, limit);
  return cursorPage([...rows, ...(await read<Row>(text, [...values, oldest, from, missing]))], limit);
}
