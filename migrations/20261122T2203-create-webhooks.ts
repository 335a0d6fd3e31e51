type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Where the servers of resellers hear of their orders.
    CREATE TABLE webhook_endpoints (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      url text NOT NULL,
      secret_sealed text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- Since when nothing has been delivered, although it was tried.
      failing_since timestamptz,
      disabled_at timestamptz
    );
    CREATE INDEX webhook_endpoints_user_idx ON webhook_endpoints (user_id);

    CREATE TABLE webhook_deliveries (
      id uuid PRIMARY KEY,
      endpoint_id uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
      type text NOT NULL,
      -- The signed bytes: the same in each try.
      body text NOT NULL,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
      tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
      next_try_at timestamptz,
      response_status integer,
      error text,
      created_at timestamptz NOT NULL DEFAULT now(),
      delivered_at timestamptz,
      CHECK ((status = 'pending') = (next_try_at IS NOT NULL)),
      CHECK (status <> 'delivered' OR delivered_at IS NOT NULL)
    );
    CREATE INDEX webhook_deliveries_endpoint_idx ON webhook_deliveries (endpoint_id, id);
    CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (next_try_at) WHERE status = 'pending';
    CREATE INDEX webhook_deliveries_created_idx ON webhook_deliveries (created_at);
  `);
}
