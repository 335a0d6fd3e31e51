type Run = (sql: string) => Promise<void>;

export const inSteps = true;

/**
 * A run adds up all that hosts earned in a period, and how long each sat: it reads both in indexes that hold what it
 * needs, not in the tables, whose blocks hold a row of each host. Administrators list earnings by the first one, too.
 */
export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_earned_idx");
  await run(`CREATE INDEX CONCURRENTLY ledger_entries_earned_idx ON ledger_entries (id)
    INCLUDE (user_id, amount, created_at, type) WHERE asset = 'earnings'`);
  await run("DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_earnings_idx");
  await run("DROP INDEX CONCURRENTLY IF EXISTS seat_sessions_host_idx");
  await run(
    "CREATE INDEX CONCURRENTLY seat_sessions_host_idx ON seat_sessions (user_id, ended_at) INCLUDE (started_at)",
  );
  await run("DROP INDEX CONCURRENTLY IF EXISTS seat_sessions_user_idx");
}
