type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE INDEX catalogue_orders_problem_idx ON catalogue_orders (id) WHERE problem IS NOT NULL;
    -- The codes that are reserved.
    CREATE INDEX catalogue_orders_open_idx ON catalogue_orders (card_service_id)
      WHERE card_service_id IS NOT NULL AND status IN ('placed', 'processing');
  `);
}
