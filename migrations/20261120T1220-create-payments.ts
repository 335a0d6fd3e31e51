type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Orders. The amount and the items are those at the time of the order.
    CREATE TABLE payment_orders (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      kind text NOT NULL CHECK (kind IN ('coins', 'vip')),
      status text NOT NULL DEFAULT 'created' CHECK (status IN ('created', 'paid', 'failed', 'expired', 'refunded')),
      -- In the currency's smallest unit.
      amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 1000000000000),
      currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
      title text NOT NULL,
      coins coins NOT NULL DEFAULT 0,
      package_id uuid REFERENCES coin_packages (id),
      plan_id uuid,
      duration_days integer CHECK (duration_days BETWEEN 1 AND 3660),
      provider text NOT NULL,
      provider_order_id text,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      paid_at timestamptz,
      refunded_at timestamptz,
      CONSTRAINT payment_orders_provider_key UNIQUE (provider, provider_order_id),
      CONSTRAINT payment_orders_buys_one_thing CHECK (
        CASE kind
          WHEN 'coins' THEN coins > 0 AND package_id IS NOT NULL AND plan_id IS NULL AND duration_days IS NULL
          ELSE coins = 0 AND package_id IS NULL AND plan_id IS NOT NULL AND duration_days IS NOT NULL
        END),
      CONSTRAINT payment_orders_paid CHECK ((status IN ('paid', 'refunded')) = (paid_at IS NOT NULL)),
      CONSTRAINT payment_orders_refunded CHECK ((status = 'refunded') = (refunded_at IS NOT NULL))
    );
    CREATE INDEX payment_orders_user_idx ON payment_orders (user_id, id DESC);
    CREATE INDEX payment_orders_due_idx ON payment_orders (expires_at) WHERE status = 'created';

    -- Payments received by a provider. The provider's ID prevents a payment from being credited twice.
    CREATE TABLE payments (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL REFERENCES payment_orders (id),
      provider text NOT NULL,
      provider_payment_id text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      -- False: the order was already paid by another payment. This one must be refunded.
      settles boolean NOT NULL,
      refunded_amount bigint NOT NULL DEFAULT 0 CHECK (refunded_amount BETWEEN 0 AND amount),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT payments_provider_key UNIQUE (provider, provider_payment_id)
    );
    CREATE INDEX payments_order_idx ON payments (order_id);
    CREATE UNIQUE INDEX payments_settled_key ON payments (order_id) WHERE settles;

    -- Refunds, and the coins taken back with them. Coins that the wallet no longer holds become a debt.
    CREATE TABLE payment_refunds (
      id uuid PRIMARY KEY,
      payment_id uuid NOT NULL REFERENCES payments (id),
      provider text NOT NULL,
      provider_refund_id text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      coins coins NOT NULL CHECK (coins >= 0),
      debt_coins coins NOT NULL DEFAULT 0 CHECK (debt_coins BETWEEN 0 AND coins),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT payment_refunds_provider_key UNIQUE (provider, provider_refund_id)
    );
    CREATE INDEX payment_refunds_payment_idx ON payment_refunds (payment_id);

    -- All signed webhooks, including unknown ones, without personal data.
    CREATE TABLE payment_events (
      id uuid PRIMARY KEY,
      provider text NOT NULL,
      event_id text NOT NULL,
      type text NOT NULL,
      summary jsonb NOT NULL,
      outcome text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT payment_events_once UNIQUE (provider, event_id)
    );
    CREATE INDEX payment_events_age_idx ON payment_events (created_at);

    -- The sandbox's own records, which a real provider would keep.
    CREATE TABLE sandbox_orders (
      id text PRIMARY KEY,
      receipt uuid NOT NULL UNIQUE,
      amount bigint NOT NULL,
      currency char(3) NOT NULL,
      title text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE sandbox_payments (
      id text PRIMARY KEY,
      order_id text NOT NULL REFERENCES sandbox_orders (id),
      status text NOT NULL CHECK (status IN ('captured', 'failed', 'refunded')),
      refund_id text,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX sandbox_payments_order_idx ON sandbox_payments (order_id);
    CREATE UNIQUE INDEX sandbox_payments_paid_key ON sandbox_payments (order_id) WHERE status <> 'failed';
  `);
}
