import type { Api, Permission } from "../api.ts";
import { pathOfType, typeOfField } from "./references.ts";
import { fieldsOf } from "./schema.ts";

type Row = Readonly<Record<string, unknown>>;

/** A link from a record to what concerns it. */
interface Link {
  readonly href: string;
  /** The list that names it. */
  readonly list: string;
  /** The field of the list that is the record, where several of them can be. */
  readonly field?: string;
  readonly permission: Permission;
}

/** Links that no filter says, by the address of the record's page. */
const further: Readonly<Record<string, (record: Row) => readonly Omit<Link, "permission">[]>> = {
  "/run-lines/:id": ({ id, host_id, how }) => {
    const { since, until } = how as { readonly since: string; readonly until: string };
    const isoTime = (time: string) => new Date(time).toISOString();
    const gifts = { user_id: String(host_id), reference_type: "gift_transaction" };
    return [
      { list: "/gifts", href: entriesWith({ ...gifts, from: isoTime(since), to: isoTime(until) }) },
      { list: "/transactions", href: entriesWith({ reference_id: String(id) }) },
      { list: "/statements", href: `/users/${host_id}/statements` },
    ];
  },
};

const entriesWith = (query: Readonly<Record<string, string>>): string =>
  `/transactions?${new URLSearchParams({ asset: "earnings", ...query })}`;

/**
 * Returns the links of a record to the lists that can be narrowed to it, such as those of a run to its lines by their
 * `run_id`, and to what else concerns it.
 * @param path of its page, such as `/runs/:id`
 */
export function linksOf(api: Api, path: string, record: Row): readonly Link[] {
  const isOfPage = (type: string | undefined) => type !== undefined && `${pathOfType[type]}/:id` === path;
  const lists = api.operations.filter((one) => one.method === "get" && !one.path.includes(":"));
  const narrowed = lists.flatMap(({ path: list, query, permission }) => {
    const fields = fieldsOf(api, query).filter(({ name }) => isOfPage(typeOfField(name, list)));
    return fields.map(({ name }) => ({
      ...{ list, permission, href: `${list}?${name}=${record.id}` },
      ...(fields.length > 1 && { field: name }),
    }));
  });
  const others = further[path]?.(record) ?? [];
  return [...narrowed, ...others.map((link) => ({ ...link, permission: "transactions.read" }))];
}
