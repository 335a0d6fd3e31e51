type Run = (sql: string) => Promise<void>;

export const inSteps = true;

/** A run adds up all earnings of a period: it reads them in an index of its own size, not in the whole ledger. */
export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_earned_idx");
  await run(`CREATE INDEX CONCURRENTLY ledger_entries_earned_idx ON ledger_entries (id)
    INCLUDE (user_id, amount, created_at, type) WHERE asset = 'earnings'`);
  await run("DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_earnings_idx");
}
