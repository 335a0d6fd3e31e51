type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    ALTER TABLE catalogue_orders DROP CONSTRAINT catalogue_orders_payment_check,
      ADD CONSTRAINT catalogue_orders_payment_check CHECK (payment IN ('postpaid', 'prepaid'));

    -- Money of prepaid orders: paid when they are placed, and refunded when they are cancelled, each once. The cause of a
    -- ledger transaction.
    CREATE TABLE catalogue_payments (
      id uuid PRIMARY KEY,
      order_id integer NOT NULL REFERENCES catalogue_orders (id),
      kind text NOT NULL CHECK (kind IN ('payment', 'refund')),
      -- In 1/10,000 of the unit of the order's currency.
      amount coins NOT NULL CHECK (amount > 0),
      principal_kind text NOT NULL CHECK (principal_kind IN ('user', 'admin', 'key_holder', 'service')),
      principal_id uuid,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT catalogue_payments_once UNIQUE (order_id, kind)
    );
    CREATE TRIGGER catalogue_payments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON catalogue_payments
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
  `);
}
