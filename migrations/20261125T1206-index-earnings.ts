type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  // Administrators list entries of earnings, which are few beside those of coins. A run adds up all that hosts earned
  // in a period: the index holds what it needs.
  await run("DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_earned_idx");
  await run(`CREATE INDEX CONCURRENTLY ledger_entries_earned_idx ON ledger_entries (id)
    INCLUDE (user_id, amount, created_at, type) WHERE asset = 'earnings'`);
  await run("DROP INDEX CONCURRENTLY IF EXISTS gift_transactions_plan_idx");
  await run(
    "CREATE INDEX CONCURRENTLY gift_transactions_plan_idx ON gift_transactions (plan_id) WHERE plan_id IS NOT NULL",
  );
}
