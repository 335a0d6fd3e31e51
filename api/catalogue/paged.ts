import type { Page } from "#shared/kernel/page.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

export const catalogueBasePath = "/catalogue";

/** Returns the URL of an operation of the catalogue API. */
export function urlOf(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const search = pairs.length > 0 ? `?${pairs.join("&")}` : "";
  return `${publicAddress()}${catalogueBasePath}${path}${search}`;
}

/** A list, and the query that its links repeat. */
interface Listed {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/** The addresses of the pages beside one. */
export function pagerOf({ path, query }: Listed, { page, total, limit }: Omit<Page<unknown>, "items">) {
  const last = Math.max(1, Math.ceil(total / limit));
  const at = (number: number): string => urlOf(path, { ...query, page: number });
  return {
    last,
    at,
    next: page < last ? at(page + 1) : null,
    previous: page > 1 ? at(Math.min(page - 1, last)) : null,
  };
}

/**
 * Numbers of pages, with gaps where some are left out: the two at each end, and three on both sides of the current one.
 */
export function linkedPages(page: number, last: number): (number | "...")[] {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  if (last < 14) return range(1, last);
  const [start, end] = [range(1, 2), range(last - 1, last)];
  if (page <= 7) return [...range(1, 10), "...", ...end];
  if (page > last - 7) return [...start, "...", ...range(last - 9, last)];
  return [...start, "...", ...range(page - 3, page + 3), "...", ...end];
}

/** Returns the contract's paged object of a page of items. */
export function toPaged<T>(listed: Listed, { items, page, limit, total }: Page<T>) {
  const { last, at, next, previous } = pagerOf(listed, { page, limit, total, total_pages: 0 });
  const from = items.length > 0 ? (page - 1) * limit + 1 : null;
  return {
    current_page: page,
    items,
    first_page_url: at(1),
    from,
    last_page: last,
    last_page_url: at(last),
    links: [
      { url: previous, label: "&laquo; Previous", active: false },
      ...linkedPages(page, last).map((number) =>
        number === "..."
          ? { url: null, label: number, active: false }
          : { url: at(number), label: `${number}`, active: number === page },
      ),
      { url: next, label: "Next &raquo;", active: false },
    ],
    next_page_url: next,
    path: urlOf(listed.path),
    per_page: limit,
    prev_page_url: previous,
    to: from === null ? null : from + items.length - 1,
    total,
  };
}
