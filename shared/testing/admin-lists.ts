import { adminRoutes } from "../../api/admin/routes.ts";
import { exampleOf } from "../../api/docs/example-of.ts";
import { type Described, describe } from "../../api/docs/json-schema.ts";
import type { Route } from "../../api/http/route.ts";
import { noEngine } from "./no-engine.ts";

type Query = Readonly<Record<string, string>>;

const fieldsOf = ({ query }: Route): Readonly<Record<string, Described>> => (query ? describe(query).keys! : {});

/** Computed from all that happened in a period: they read more than they show, and aren't filtered. */
const reports = ["/earnings/circles", "/earnings/circles/graph", "/earnings/liabilities"];

/** Returns the operations that list something, page by page or by a cursor, whatever it is. */
export const adminLists = (): Route[] =>
  adminRoutes({ actors: noEngine }).filter(
    (route) =>
      route.method === "get" &&
      !route.params &&
      Object.hasOwn(fieldsOf(route), "limit") &&
      !reports.includes(route.path),
  );

/** Neither narrow a list nor order it. */
const others = new Set(["page", "limit", "before", "format", "sort"]);

/** What is searched for: one in ten, one in a hundred, and one of the seeded rows. */
const searches = ["grace", "grace hopper", "hopper 711"];

/** Returns the values of a filter: all that it can have, or that of a row in the list, if one has it. */
function valuesOf(route: Route, name: string, items: readonly object[]): string[] {
  if (name === "q") return searches;
  const { flags, allow, type } = fieldsOf(route)[name]!;
  if (flags?.only && allow) return allow.map(String);
  if (type === "boolean") return ["true", "false"];
  const times = items.map(
    (item) => (item as { created_at?: string; at?: string }).created_at ?? (item as { at?: string }).at,
  );
  const shown = items
    .map((item) => (item as Record<string, unknown>)[name])
    .find((value) => value !== null && value !== undefined);
  const value = name === "from" || name === "to" ? times.at(-1) : shown;
  return [String(value ?? (exampleOf(route.query!) as Query)[name])];
}

/**
 * Returns the queries of a list: each filter with its values and each order, and both together. `items` are items of
 * the list, from which filters take their values.
 */
export function queriesOf(route: Route, items: readonly object[]): Query[] {
  const fields = fieldsOf(route);
  const filters: Query[] = Object.keys(fields)
    .filter((name) => !others.has(name))
    .flatMap((name) => valuesOf(route, name, items).map((value) => ({ [name]: value })));
  const sorts = (fields.sort?.allow ?? []).map((sort): Query => ({ sort: String(sort) }));
  const orders = sorts.length > 0 ? sorts : [{}];
  return [{}, ...filters].flatMap((filter) => orders.map((order) => ({ ...filter, ...order })));
}
