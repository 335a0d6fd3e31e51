type Run = (sql: string) => Promise<void>;

/** The page where an order is paid, at a provider that gives each order one of its own. */
export async function up(run: Run): Promise<void> {
  await run("ALTER TABLE payment_orders ADD COLUMN checkout_url text");
}
