type Run = (sql: string) => Promise<void>;

export const inSteps = true;

/** Administrators list entries of earnings, which are few beside those of coins. */
export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_earnings_idx");
  await run("CREATE INDEX CONCURRENTLY ledger_entries_earnings_idx ON ledger_entries (id) WHERE asset = 'earnings'");
}
