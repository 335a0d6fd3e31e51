import { DataTypes, type Model } from "sequelize";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { toValue } from "#shared/db/model.ts";
import { escapeLike, queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { canRetire, columnsOf, type ManagedRecord, type ManagedResource, type RecordId } from "./managed-resource.ts";

/** Returns a decimal without the zeros that the scale of its column adds: `12.5`. */
const trimmed = (decimal: string): string => decimal.replace(/\.0+$|(\.\d*[1-9])0+$/, "$1");

/** Returns what administrators see of a row, as JSON has it. */
export function toRecord(managed: ManagedResource, row: Model): ManagedRecord {
  const attributes = managed.model.getAttributes();
  const columns = columnsOf(managed).map((name) => {
    const value = toValue(attributes[name]?.type, row.get(name));
    if (attributes[name]?.type instanceof DataTypes.DECIMAL && value !== null) return [name, trimmed(String(value))];
    return [name, value ?? null];
  });
  return Object.fromEntries(columns) as ManagedRecord;
}

const lists = new WeakMap<ManagedResource, FilteredList>();

/** Returns the list of a resource's records, the rows as `t`. */
function listOf(managed: ManagedResource): FilteredList {
  const list = lists.get(managed) ?? composeList(managed);
  lists.set(managed, list);
  return list;
}

function composeList(managed: ManagedResource): FilteredList {
  const { model, search, derived = {}, filters = {}, derivedFilters = {}, sorts, hasPeriod, exampleId } = managed;
  const attributes = model.getAttributes();
  const columnOf = (name: string) => `t.${attributes[name]!.field}`;
  const shown = (name: string) =>
    derived[name] ??
    (attributes[name]!.type instanceof DataTypes.DECIMAL ? `trim_scale(${columnOf(name)})` : columnOf(name));
  return {
    columns: columnsOf(managed)
      .map((name) => `${shown(name)} AS ${name}`)
      .join(", "),
    from: `${String(model.getTableName())} t`,
    id: "t.id",
    ...(typeof exampleId === "number" && { idType: "integer" }),
    filters: {
      ...Object.fromEntries(Object.keys(filters).map((name) => [name, `${columnOf(name)} = ?`])),
      ...Object.fromEntries(Object.entries(derivedFilters).map(([name, { where }]) => [name, where])),
      ...(search.length > 0 && { q: search.map((name) => `${columnOf(name)} ILIKE ?`).join(" OR ") }),
      ...(canRetire(managed) && { retired: "(t.retired_at IS NOT NULL) = ?" }),
    },
    ...(hasPeriod && { time: "t.created_at" }),
    sorts: Object.fromEntries(sorts.map((sort) => sort.replace("-", "")).map((name) => [name, columnOf(name)])),
  };
}

const toFilter = ({ sorts }: ManagedResource, { q, sort = sorts[0]!, ...filter }: ListFilter): ListFilter => ({
  ...filter,
  sort,
  ...(q !== undefined && { q: `%${escapeLike(String(q))}%` }),
});

/** Returns a page of the records. */
export const listManaged = (managed: ManagedResource, filter: ListFilter, page: PageQuery) =>
  listFiltered<ManagedRecord>(listOf(managed), toFilter(managed, filter), page) as Promise<Page<ManagedRecord>>;

/** Yields all of them in batches, newest first. */
export const readManaged = (managed: ManagedResource, filter: ListFilter) =>
  readFiltered<ManagedRecord>(listOf(managed), toFilter(managed, filter));

/** @throws NOT_FOUND */
export async function getManaged(managed: ManagedResource, id: RecordId): Promise<ManagedRecord> {
  const { columns, from } = listOf(managed);
  const record = await queryOne<ManagedRecord>(`SELECT ${columns} FROM ${from} WHERE t.id = $1`, [id]);
  if (!record) throw new DomainError("NOT_FOUND");
  return record;
}
