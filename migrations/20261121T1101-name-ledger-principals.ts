type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // Who moved the coins; both are null in older rows, and the service has no id.
  await run(`
    ALTER TABLE ledger_movements
      ADD COLUMN principal_kind text CHECK (principal_kind IN ('user', 'admin', 'key_holder', 'service')),
      ADD COLUMN principal_id uuid
  `);
}
