type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Up to when the lists of stores were gone through.
    CREATE TABLE store_positions (
      store text PRIMARY KEY CHECK (store IN ('google')),
      voided_until timestamptz NOT NULL
    );
  `);
}
