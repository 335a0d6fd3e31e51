type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- A suspension of the account, which is recorded to be appealed.
    ALTER TABLE sanctions ADD COLUMN suspends boolean NOT NULL DEFAULT false;
  `);
}
