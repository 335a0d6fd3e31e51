type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Refunds that administrators ask a provider for. The ID is the provider's idempotency key, so that a request whose
    -- outcome is unknown can be sent again.
    CREATE TABLE payment_refund_requests (
      id uuid PRIMARY KEY,
      payment_id uuid NOT NULL REFERENCES payments (id),
      amount bigint NOT NULL CHECK (amount > 0),
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
      -- What the provider said.
      failure text,
      reason text NOT NULL,
      requested_by uuid NOT NULL REFERENCES admins (id),
      tries integer NOT NULL DEFAULT 0,
      next_try_at timestamptz NOT NULL DEFAULT now(),
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE UNIQUE INDEX payment_refund_requests_open_key ON payment_refund_requests (payment_id) WHERE status = 'pending';
    CREATE INDEX payment_refund_requests_payment_idx ON payment_refund_requests (payment_id);
    CREATE INDEX payment_refund_requests_due_idx ON payment_refund_requests (next_try_at) WHERE status = 'pending';

    CREATE INDEX payment_orders_age_idx ON payment_orders (created_at, id);
    CREATE INDEX payment_events_order_idx ON payment_events (provider, (summary #>> '{payment,order_id}'));
  `);
}
