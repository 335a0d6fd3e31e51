import { DataTypes, type Model, Op, QueryTypes, type WhereOptions } from "sequelize";
import { escapeLike } from "#shared/db/query.ts";
import { sequelize } from "#shared/db/sequelize.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { countMax, offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";
import { canRetire, columnsOf, type ManagedRecord, type ManagedResource, type RecordId } from "./managed-resource.ts";

/** The filters and the order of a list. */
export interface ManagedFilter {
  readonly q?: string;
  readonly sort?: string;
  readonly retired?: boolean;
  readonly [column: string]: unknown;
}

/** Writes the statement that a model would run. */
const generator = sequelize.getQueryInterface().queryGenerator as {
  selectQuery(table: unknown, options: object, model: unknown): string;
};

/** Rows that are read at a time for an export. */
const batchSize = 500;

/** Returns a decimal without the zeros that the scale of its column adds: `12.5`. */
const trimmed = (decimal: string): string => decimal.replace(/\.0+$|(\.\d*[1-9])0+$/, "$1");

/** Returns what administrators see of a row, as JSON has it. */
export function toRecord(managed: ManagedResource, row: Model): ManagedRecord {
  const attributes = managed.model.getAttributes();
  const columns = columnsOf(managed).map((name) => {
    const value: unknown = row.get(name);
    if (value instanceof Date) return [name, value.toISOString()];
    // Read as text by Sequelize; all of ours are bounded below 2^53.
    if (attributes[name]?.type instanceof DataTypes.BIGINT && value !== null) return [name, Number(value)];
    if (attributes[name]?.type instanceof DataTypes.DECIMAL && value !== null) return [name, trimmed(String(value))];
    return [name, value ?? null];
  });
  return Object.fromEntries(columns) as ManagedRecord;
}

function whereOf(managed: ManagedResource, filter: ManagedFilter): WhereOptions {
  const { q, retired } = filter;
  const pattern = q === undefined ? undefined : `%${escapeLike(q)}%`;
  const parts: WhereOptions[] = [
    ...Object.keys(managed.filters ?? {})
      .filter((column) => filter[column] !== undefined)
      .map((column) => ({ [column]: filter[column] })),
    ...Object.entries(managed.derivedFilters ?? {})
      .filter(([name]) => filter[name] !== undefined)
      .map(([name, { where }]) => where(filter[name])),
    ...(pattern ? [{ [Op.or]: managed.search.map((column) => ({ [column]: { [Op.iLike]: pattern } })) }] : []),
    ...(retired !== undefined && canRetire(managed) ? [{ retired_at: retired ? { [Op.ne]: null } : null }] : []),
  ];
  return { [Op.and]: parts };
}

function orderOf({ sorts }: ManagedResource, sort = sorts[0]!): [string, "ASC" | "DESC"][] {
  const descending = sort.startsWith("-");
  const column = descending ? sort.slice(1) : sort;
  const direction = descending ? "DESC" : "ASC";
  return [
    [column, direction],
    ["id", direction],
  ];
}

/** Counts a list, up to `countMax`. */
async function countManaged({ model }: ManagedResource, where: WhereOptions): Promise<number> {
  const listed = generator.selectQuery(model.getTableName(), { attributes: ["id"], where, limit: countMax }, model);
  const counted = `SELECT count(*)::int AS total FROM (${listed.replace(/;$/, "")}) AS counted`;
  const [row] = await sequelize.query<{ total: number }>(counted, { type: QueryTypes.SELECT });
  return row!.total;
}

/** Returns a page of a list. Its total is at most `countMax`, and there are no pages beyond. */
export async function listManaged(
  managed: ManagedResource,
  filter: ManagedFilter,
  page: PageQuery,
): Promise<Page<ManagedRecord>> {
  const where = whereOf(managed, filter);
  const total = await countManaged(managed, where);
  const order = orderOf(managed, filter.sort);
  const offset = offsetOf(page);
  const rows = offset < total ? await managed.model.findAll({ where, order, limit: page.limit, offset }) : [];
  return toPage(
    rows.map((row) => toRecord(managed, row)),
    total,
    page,
  );
}

/** Yields a whole list in batches, in the order of `listManaged`. */
export async function* readManaged(managed: ManagedResource, filter: ManagedFilter): AsyncGenerator<ManagedRecord[]> {
  for (let page = 1; ; page += 1) {
    const rows = await managed.model.findAll({
      where: whereOf(managed, filter),
      order: orderOf(managed, filter.sort),
      limit: batchSize,
      offset: offsetOf({ page, limit: batchSize }),
    });
    if (rows.length > 0) yield rows.map((row) => toRecord(managed, row));
    if (rows.length < batchSize) return;
  }
}

/** @throws NOT_FOUND */
export async function getManaged(managed: ManagedResource, id: RecordId): Promise<ManagedRecord> {
  const row = await managed.model.findByPk(id);
  if (!row) throw new DomainError("NOT_FOUND");
  return toRecord(managed, row);
}
