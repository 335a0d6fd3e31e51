type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Administrators decide who is a reseller.
    ALTER TABLE catalogue_customers
      ADD COLUMN status text NOT NULL DEFAULT 'applied' CHECK (status IN ('applied', 'approved', 'suspended')),
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      -- When the customer was last reminded of overdue orders.
      ADD COLUMN reminded_at timestamptz;
    CREATE INDEX catalogue_customers_status_idx ON catalogue_customers (status, id);

    -- What a customer may owe, and owes, in 1/10,000 of the unit of each currency. Without a row, orders are prepaid.
    CREATE TABLE catalogue_credit (
      customer_id integer NOT NULL REFERENCES catalogue_customers (id),
      currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
      credit_limit bigint NOT NULL CHECK (credit_limit BETWEEN 0 AND 9000000000000000),
      due bigint NOT NULL DEFAULT 0 CHECK (due >= 0),
      PRIMARY KEY (customer_id, currency)
    );

    -- When an order on credit must be paid. Null: it is paid, was cancelled, or was placed before there were limits.
    ALTER TABLE catalogue_orders ADD COLUMN due_at timestamptz;
    CREATE INDEX catalogue_orders_owed_idx ON catalogue_orders (customer_id, due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX catalogue_orders_customer_open_idx ON catalogue_orders (customer_id)
      WHERE status IN ('placed', 'processing');

    -- Owners of keys are customers already. Those who ordered on account keep a limit: what they ordered in 30 days.
    INSERT INTO catalogue_customers (user_id) SELECT DISTINCT user_id FROM api_keys ON CONFLICT (user_id) DO NOTHING;
    UPDATE catalogue_customers SET status = 'approved'
      WHERE user_id IN (SELECT user_id FROM api_keys) OR id IN (SELECT customer_id FROM catalogue_orders);
    INSERT INTO catalogue_credit (customer_id, currency, credit_limit)
      SELECT customer_id, currency, least(sum(total) * 10000, 9000000000000000)::bigint FROM catalogue_orders
      WHERE payment = 'postpaid' AND status <> 'cancelled' AND created_at > now() - interval '30 days'
      GROUP BY customer_id, currency;
  `);
}
