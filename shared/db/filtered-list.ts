import { minutesMs } from "#shared/kernel/clock.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import {
  type CursorPage,
  type CursorQuery,
  countMax,
  offsetOf,
  type Page,
  type PageQuery,
  toPage,
} from "#shared/kernel/page.ts";
import { queryPlanned } from "./own-plans.ts";
import { queryCursorPage, queryPage } from "./query-page.ts";

/**
 * A list that is filtered, sorted, paged, and downloaded. Statements are composed of its parts, which are constant SQL.
 */
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
  /**
   * Selects the IDs that the filter `q` finds, with `?` for its value, if that is not a condition: runs once for each
   * page.
   */
  readonly search?: string;
  /**
   * The column that the filters `from` and `to` (exclusive) compare, if there are any: the time at which the ID was
   * made, if it is a UUID.
   */
  readonly time?: string;
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

/** An ID is made up to this time before its row, by a clock that may differ. */
const marginMs = minutesMs(10);

/** Returns the conditions of a period. IDs are indexed and times are not: the IDs bound what is compared. */
const periodOf = ({ time, id }: FilteredList): Record<string, string> =>
  time ? { from: `${time} >= ?`, to: `${time} < ?`, first: `${id} >= ?`, last: `${id} < ?` } : {};

const withBounds = ({ time, idType }: FilteredList, filter: ListFilter): ListFilter => {
  const { from, to } = filter as { from?: string; to?: string };
  if (idType === "integer") return filter;
  return {
    ...filter,
    ...(time && from !== undefined && { first: firstIdAt(Math.max(0, Date.parse(from) - marginMs)) }),
    ...(time && to !== undefined && { last: firstIdAt(Math.max(0, Date.parse(to) + marginMs)) }),
  };
};

interface Where {
  /** The common table expression that the condition needs. */
  readonly found?: string;
  readonly where: string;
  readonly values: unknown[];
}

/** Returns the conditions of the filters that have a value, and their values. */
function whereOf(list: FilteredList, asked: ListFilter): Where {
  const filter = withBounds(list, asked);
  const search = list.search && { q: `${list.id} = ANY(ARRAY(SELECT id FROM found))` };
  const all = { ...list.filters, ...periodOf(list), ...search };
  const given = Object.entries(all).filter(([name]) => filter[name] !== undefined);
  const conditions = given.map(([, condition], index) => `(${condition.replaceAll("?", `$${index + 1}`)})`);
  const searched = list.search ? given.findIndex(([name]) => name === "q") + 1 : 0;
  return {
    ...(searched > 0 && { found: `found AS MATERIALIZED (${list.search!.replaceAll("?", `$${searched}`)})` }),
    where: ["true", ...conditions].join(" AND "),
    values: given.map(([name]) => filter[name]),
  };
}

/** Returns a page of a list. Its total is at most `countMax`, and there are no pages beyond. */
export async function listFiltered<Row extends object>(
  list: FilteredList,
  filter: ListFilter,
  page: PageQuery,
): Promise<Page<Row>> {
  const { columns, from, id, joins = "", sorts } = list;
  const { found, where, values } = whereOf(list, filter);
  const [name = Object.keys(sorts)[0]!, direction] = filter.sort?.startsWith("-")
    ? [filter.sort.slice(1), "DESC"]
    : [filter.sort, "ASC"];
  const order = sorts[name] === id ? `${id} ${direction}` : `${sorts[name]} ${direction}, ${id} ${direction}`;
  const [limit, offset] = [values.length + 1, values.length + 2];
  const isBeyond = offsetOf(page) >= countMax;
  const listed = await queryPage<Row>(
    {
      ...(found !== undefined && { with: found }),
      count: `SELECT count(*) FROM (SELECT FROM ${from} WHERE ${where} LIMIT ${countMax}) AS counted`,
      rows: `SELECT ${columns} FROM ${from} ${joins} WHERE ${where} ORDER BY ${order} LIMIT $${limit} OFFSET $${offset}`,
    },
    values,
    isBeyond ? { page: 1, limit: 1 } : page,
    queryPlanned,
  );
  return isBeyond ? toPage([], listed.total, page) : listed;
}

/** Yields a whole list in batches, newest first: each begins after the ID that the last one ended with. */
export async function* readFiltered<Row extends { id: string | number }>(
  list: FilteredList,
  filter: ListFilter,
): AsyncGenerator<Row[]> {
  const { columns, from, id, idType = "uuid", joins = "" } = list;
  const { found, where, values } = whereOf(list, filter);
  const before = `$${values.length + 1}`;
  const text = `${found ? `WITH ${found} ` : ""}SELECT ${columns} FROM ${from} ${joins}
    WHERE ${where} AND (${before}::${idType} IS NULL OR ${id} < ${before}) ORDER BY ${id} DESC LIMIT ${batchSize}`;
  for (let last: string | number | null = null; ; ) {
    const rows: Row[] = await queryPlanned<Row>(text, [...values, last]);
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
    queryPlanned,
  );
}
