type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS payment_orders_offer_idx");
  await run(
    "CREATE INDEX CONCURRENTLY payment_orders_offer_idx ON payment_orders (offer_id) WHERE offer_id IS NOT NULL",
  );
}
