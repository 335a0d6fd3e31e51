import { query } from "#shared/db/query.ts";

export type Statement = readonly [text: string, values?: readonly unknown[]];

/**
 * Tampers with tables as the owner of the database could, returns what `look` then finds, and restores the tables. They
 * are listed in the order of their foreign keys.
 */
export async function tampered<T>(
  tables: readonly string[],
  statements: readonly Statement[],
  look: () => Promise<T>,
): Promise<T> {
  for (const table of tables) {
    await query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
    await query(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
  }
  try {
    for (const [text, values] of statements) await query(text, values);
    return await look();
  } finally {
    for (const table of tables) {
      await query(`DELETE FROM ${table}`);
      await query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
      await query(`DROP TABLE kept_${table}`);
    }
    for (const table of tables) await query(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  }
}
