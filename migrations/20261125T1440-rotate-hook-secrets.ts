type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Signs, too, until then.
    ALTER TABLE http_hooks ADD COLUMN previous_secret_sealed text, ADD COLUMN previous_until timestamptz;
  `);
}
