type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What differs between our books and a provider's.
    CREATE TABLE payment_findings (
      id uuid PRIMARY KEY,
      provider text NOT NULL,
      -- Of the provider's books, UTC.
      day date NOT NULL,
      kind text NOT NULL CHECK (kind IN ('missing_here', 'missing_there', 'amount', 'state')),
      subject text NOT NULL CHECK (subject IN ('payment', 'refund')),
      provider_id text NOT NULL,
      order_id uuid REFERENCES payment_orders (id),
      amount_here bigint,
      amount_there bigint,
      currency text,
      status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'settled', 'closed')),
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT payment_findings_once UNIQUE (provider, subject, provider_id, kind)
    );
    CREATE INDEX payment_findings_age_idx ON payment_findings (created_at, id);
    CREATE INDEX payment_findings_open_idx ON payment_findings (id) WHERE status = 'open';
    CREATE INDEX payment_findings_order_idx ON payment_findings (order_id) WHERE order_id IS NOT NULL;

    -- When the provider's books have last confirmed it.
    ALTER TABLE payments ADD COLUMN reconciled_at timestamptz;
    ALTER TABLE payment_refunds ADD COLUMN reconciled_at timestamptz;

    -- Up to when an administrator has forgiven a user's purchases and refunds: the bounds of settings count later ones.
    CREATE TABLE purchase_clearances (
      user_id uuid PRIMARY KEY REFERENCES users,
      cleared_at timestamptz NOT NULL DEFAULT now()
    );
    -- The bound that an order exceeded whose money was taken already.
    ALTER TABLE payment_orders ADD COLUMN flag text;
  `);
}
