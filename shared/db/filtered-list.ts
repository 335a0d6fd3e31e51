import type { CursorPage, CursorQuery, Page, PageQuery } from "#shared/kernel/page.ts";
import { query } from "./query.ts";
import { queryCursorPage, queryPage } from "./query-page.ts";

/** A list that is filtered, sorted, paged, and downloaded. Statements are composed of its parts, which are constant SQL. */
export interface FilteredList {
  readonly columns: string;
  /** The table that conditions and orders refer to, with its alias, and the column with its ID, which grows. */
  readonly from: string;
  readonly id: string;
  /** Default: a UUIDv7. */
  readonly idType?: "integer";
  /** What the columns need beside the table: joins that neither add rows nor leave any out. */
  readonly joins?: string;
  /** The condition of each filter, with `?` for its value. */
  readonly filters: Readonly<Record<string, string>>;
  /** The expression of each order. */
  readonly sorts: Readonly<Record<string, string>>;
}

/** The values of filters, and the order: the name of a sort, after `-` for descending order. */
export interface ListFilter {
  readonly sort?: string;
  readonly [filter: string]: unknown;
}

/** Rows that are read at a time for a download. */
const batchSize = 500;

/** Returns the conditions of the filters that have a value, and their values. */
function whereOf({ filters }: FilteredList, filter: ListFilter): { where: string; values: unknown[] } {
  const given = Object.entries(filters).filter(([name]) => filter[name] !== undefined);
  const conditions = given.map(([, condition], index) => `(${condition.replaceAll("?", `$${index + 1}`)})`);
  return { where: ["true", ...conditions].join(" AND "), values: given.map(([name]) => filter[name]) };
}

/** Returns a page of a list, and its true total. */
export function listFiltered<Row extends object>(
  list: FilteredList,
  filter: ListFilter,
  page: PageQuery,
): Promise<Page<Row>> {
  const { columns, from, id, joins = "", sorts } = list;
  const { where, values } = whereOf(list, filter);
  const [name = Object.keys(sorts)[0]!, direction] = filter.sort?.startsWith("-")
    ? [filter.sort.slice(1), "DESC"]
    : [filter.sort, "ASC"];
  const order = sorts[name] === id ? `${id} ${direction}` : `${sorts[name]} ${direction}, ${id} ${direction}`;
  const [limit, offset] = [values.length + 1, values.length + 2];
  return queryPage<Row>(
    {
      count: `SELECT count(*) FROM ${from} WHERE ${where}`,
      rows: `SELECT ${columns} FROM ${from} ${joins} WHERE ${where} ORDER BY ${order} LIMIT $${limit} OFFSET $${offset}`,
    },
    values,
    page,
  );
}

/** Yields a whole list in batches, newest first: each begins after the ID that the last one ended with. */
export async function* readFiltered<Row extends { id: string | number }>(
  list: FilteredList,
  filter: ListFilter,
): AsyncGenerator<Row[]> {
  const { columns, from, id, idType = "uuid", joins = "" } = list;
  const { where, values } = whereOf(list, filter);
  const before = `$${values.length + 1}`;
  const text = `SELECT ${columns} FROM ${from} ${joins} WHERE ${where} AND (${before}::${idType} IS NULL OR ${id} < ${before})
    ORDER BY ${id} DESC LIMIT ${batchSize}`;
  for (let last: string | number | null = null; ; ) {
    const rows: Row[] = await query<Row>(text, [...values, last]);
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    last = rows.at(-1)!.id;
  }
}

/** Returns a part of a list, newest first, without its total: for lists that are too long to count. */
export function cursorFiltered<Row extends { id: string }>(
  list: FilteredList,
  filter: ListFilter,
  cursor: CursorQuery,
): Promise<CursorPage<Row>> {
  const { columns, from, id, joins = "" } = list;
  const { where, values } = whereOf(list, filter);
  const [before, limit] = [values.length + 1, values.length + 2];
  return queryCursorPage<Row>(
    `SELECT ${columns} FROM ${from} ${joins} WHERE ${where} AND ${id} < $${before} ORDER BY ${id} DESC LIMIT $${limit}`,
    values,
    cursor,
  );
}
