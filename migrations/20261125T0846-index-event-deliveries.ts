type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_event_key");
  await run(
    `CREATE UNIQUE INDEX CONCURRENTLY webhook_deliveries_event_key ON webhook_deliveries (event_endpoint_id, event_position)
     WHERE event_endpoint_id IS NOT NULL`,
  );
  await run("DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_order_idx");
  await run(
    `CREATE INDEX CONCURRENTLY webhook_deliveries_order_idx
     ON webhook_deliveries (event_endpoint_id, event_key, event_position)
     WHERE event_endpoint_id IS NOT NULL AND status = 'pending'`,
  );
  await run("ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_owner_check");
  await run("ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_event_check");
}
