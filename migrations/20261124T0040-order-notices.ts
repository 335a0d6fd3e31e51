type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- When what the provider last told of the identity happened: older notices, and repeated ones, change nothing.
    ALTER TABLE identities ADD COLUMN last_notice_at timestamptz;
  `);
}
