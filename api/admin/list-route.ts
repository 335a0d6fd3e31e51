import type Joi from "joi";
import { type Fields, object, oneOf, optional, pageOf, pageQuery, withDefault } from "#shared/contracts/fields.ts";
import type { Permission } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { assertAdminActive } from "#shared/domain/operations/admins/admin-access.ts";
import { countMaxText, type Page, type PageQuery } from "#shared/kernel/page.ts";
import { type AdminRoute, adminRead } from "../http/admin-route.ts";

/** What a list is narrowed to, and its order. */
interface Filter {
  readonly sort?: string;
  readonly [name: string]: unknown;
}

/** A list that administrators filter, sort, page, and download. */
interface ListEntry<Item> {
  readonly tag: string;
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly extension?: true;
  /** The schemas of the filters, all optional. */
  readonly filters: Fields;
  /** The names of the orders. The first is the default; with `-` it descends unless asked otherwise. */
  readonly sorts: readonly string[];
  /** Schema of an item; it has a name. */
  readonly item: Joi.ObjectSchema<Item>;
  readonly list: (filter: Filter, page: PageQuery) => Promise<Page<Item>>;
  readonly download: {
    readonly fileName: string;
    /** Personal data only where the file is of no use without it. */
    readonly columns: readonly (keyof Item & string)[];
    readonly read: (filter: Filter) => AsyncIterable<readonly object[]>;
  };
}

/** Returns the operation of a list. */
export function listRoute<Item extends object>(entry: ListEntry<Item>): AdminRoute {
  const { filters, sorts, item, list, download, description = "", ...common } = entry;
  const fields: Fields = {
    ...pageQuery,
    ...Object.fromEntries(Object.entries(filters).map(([name, schema]) => [name, optional(schema)])),
    sort: withDefault(
      oneOf(...sorts.map((sort) => sort.replace("-", "")).flatMap((sort) => [`-${sort}`, sort])),
      sorts[0]!,
    ),
    format: withDefault(oneOf("json", "csv").description("`csv` downloads the whole list, newest first."), "json"),
  };
  return adminRead({
    ...common,
    method: "get",
    description: `${description} Prefix \`sort\` with \`-\` for descending order. ${countMaxText}`.trim(),
    query: object(fields) as Joi.ObjectSchema<PageQuery & Filter & { format: "json" | "csv" }>,
    response: pageOf(item) as Joi.ObjectSchema<Page<Item>>,
    csv: {
      fileName: download.fileName,
      columns: download.columns,
      rows: ({ caller, query: { page, limit, format, ...filter } }) => whileActive(caller, download.read(filter)),
    },
    handler: ({ query: { page, limit, format, ...filter } }) => list(filter, { page, limit }),
  });
}

/** Yields rows until the administrator may no longer call, which is an error: a download can take minutes. */
export async function* whileActive(caller: AdminPrincipal, batches: AsyncIterable<readonly object[]>) {
  for await (const rows of batches) {
    await assertAdminActive(caller);
    yield* rows;
  }
}
