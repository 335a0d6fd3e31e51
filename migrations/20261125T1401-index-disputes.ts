type Run = (sql: string) => Promise<void>;

export const inSteps = true;

/** Administrators list orders that are disputed, or exceed a bound: few of all. */
export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS payment_refunds_dispute_idx");
  await run(
    "CREATE INDEX CONCURRENTLY payment_refunds_dispute_idx ON payment_refunds (dispute) WHERE dispute IS NOT NULL",
  );
  await run("DROP INDEX CONCURRENTLY IF EXISTS payment_orders_flag_idx");
  await run("CREATE INDEX CONCURRENTLY payment_orders_flag_idx ON payment_orders (flag, id) WHERE flag IS NOT NULL");
}
