type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS gift_transactions_plan_idx");
  await run(
    "CREATE INDEX CONCURRENTLY gift_transactions_plan_idx ON gift_transactions (plan_id) WHERE plan_id IS NOT NULL",
  );
}
