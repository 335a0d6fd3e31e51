import { OperatorError } from "./operator-error.ts";

/** Our tables that extensions add to, as words for errors. */
const tables = {
  permissions: "kind of records",
  houses: "account",
  settings: "setting",
  actions: "action",
  events: "event",
  games: "game",
  kinds: "domain event",
  causes: "cause of the ledger",
  migrations: "migration",
  erasures: "erasure",
  exports: "export",
  tags: "tag",
} as const;
type Table = keyof typeof tables;

const added = Object.fromEntries(Object.keys(tables).map((name) => [name, {}])) as Record<
  Table,
  Record<string, unknown>
>;

/**
 * Adds rows of an extension to a table. Called before the table is read: the tables load after the extensions.
 * @throws OperatorError for a name that another extension has
 */
export function extend(table: Table, rows: Readonly<Record<string, unknown>>): void {
  for (const [name, row] of Object.entries(rows)) assertNew(table, name, added[table])[name] = row;
}

/** Returns one of our tables with what extensions add to it. @throws OperatorError for a name that is ours */
export function extended<Rows extends object>(table: Table, ours: Rows): Rows {
  for (const name of Object.keys(added[table])) assertNew(table, name, ours);
  return { ...ours, ...added[table] };
}

function assertNew<Rows extends object>(table: Table, name: string, rows: Rows): Rows {
  if (Object.hasOwn(rows, name))
    throw new OperatorError(`An extension names ${articleOf(tables[table])} ${tables[table]} ${name}, which exists.`);
  return rows;
}

const articleOf = (word: string): string => (/^[aeiou]/.test(word) ? "an" : "a");
