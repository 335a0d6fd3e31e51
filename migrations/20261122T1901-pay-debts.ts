type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The coins of a purchase that paid the debt of refunded orders, at most once for each order.
    CREATE TABLE debt_payments (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL UNIQUE REFERENCES payment_orders (id),
      coins coins NOT NULL CHECK (coins > 0),
      created_at timestamptz NOT NULL DEFAULT now()
    );
  `);
}
