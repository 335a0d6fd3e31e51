type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // The signature covers the body, but not the header with the event's ID: an ID seen with other bytes must not
  // suppress a signed event. Older events have no hash; their effects are idempotent.
  await run(`
    ALTER TABLE payment_events ADD COLUMN body_sha256 bytea CHECK (length(body_sha256) = 32);
    ALTER TABLE payment_events DROP CONSTRAINT payment_events_once;
    ALTER TABLE payment_events ADD CONSTRAINT payment_events_once UNIQUE (provider, body_sha256);
    CREATE INDEX payment_events_id_idx ON payment_events (provider, event_id);

    -- A user's open orders are counted before each new one.
    CREATE INDEX payment_orders_open_idx ON payment_orders (user_id, expires_at) WHERE status = 'created';
  `);
}
