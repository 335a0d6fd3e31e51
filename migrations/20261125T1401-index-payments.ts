type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  for (const table of ["payment_orders", "payments", "payment_refunds"])
    await run(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_amount_check`);
  await run("DROP INDEX CONCURRENTLY IF EXISTS payment_orders_offer_idx");
  await run(
    "CREATE INDEX CONCURRENTLY payment_orders_offer_idx ON payment_orders (offer_id) WHERE offer_id IS NOT NULL",
  );
  // Administrators list orders that are disputed, or exceed a bound: few of all.
  await run("DROP INDEX CONCURRENTLY IF EXISTS payment_refunds_dispute_idx");
  await run(
    "CREATE INDEX CONCURRENTLY payment_refunds_dispute_idx ON payment_refunds (dispute) WHERE dispute IS NOT NULL",
  );
  await run("DROP INDEX CONCURRENTLY IF EXISTS payment_orders_flag_idx");
  await run("CREATE INDEX CONCURRENTLY payment_orders_flag_idx ON payment_orders (flag, id) WHERE flag IS NOT NULL");
}
