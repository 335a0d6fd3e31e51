import type pg from "pg";

const building = /^\s*CREATE (UNIQUE )?INDEX CONCURRENTLY (\w+) ON (\w+)([^;]*);?\s*$/i;
const dropping = /^\s*DROP INDEX CONCURRENTLY IF EXISTS (\w+);?\s*$/i;

/**
 * Returns the statements by which a step of a migration is done, if its table is divided: PostgreSQL builds an index
 * `CONCURRENTLY` only on each partition, and drops that of all at once.
 */
export async function byPartition(client: pg.Client, sql: string): Promise<string[]> {
  const dropped = dropping.exec(sql)?.[1];
  if (dropped) {
    const { rows } = await client.query("SELECT relkind FROM pg_class WHERE oid = to_regclass($1)", [dropped]);
    return rows[0]?.relkind === "I" ? [`DROP INDEX ${dropped}`] : [sql];
  }
  const [, unique = "", index, table, definition] = building.exec(sql) ?? [];
  if (!table) return [sql];
  const { rows } = await client.query<{ name: string }>(
    `SELECT part.relname AS name FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
     JOIN pg_partitioned_table ON partrelid = inhparent WHERE inhparent = to_regclass($1) ORDER BY 1`,
    [table],
  );
  if (rows.length === 0) return [sql];
  return [
    `CREATE ${unique}INDEX ${index} ON ONLY ${table}${definition}`,
    ...rows.flatMap(({ name }) => {
      const own = `${name}_${index}`.slice(0, 63);
      return [
        `DROP INDEX CONCURRENTLY IF EXISTS ${own}`,
        `CREATE ${unique}INDEX CONCURRENTLY ${own} ON ${name}${definition}`,
        `ALTER INDEX ${index} ATTACH PARTITION ${own}`,
      ];
    }),
  ];
}
