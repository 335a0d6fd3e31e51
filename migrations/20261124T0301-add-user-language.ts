type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The language that a user has chosen. Null: that of each request.
    ALTER TABLE users ADD COLUMN language text CHECK (language ~ '^[a-z]{2}$');
  `);
}
