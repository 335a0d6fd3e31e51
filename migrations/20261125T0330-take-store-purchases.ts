type Run = (sql: string) => Promise<void>;

/** What may be free now: the previous release only writes amounts above zero. */
export const compatible = Object.fromEntries(
  ["payment_orders", "payments", "payment_refunds"].map((table) => [
    `${table}.${table}_amount_check`,
    "It allows zero, besides what was allowed before.",
  ]),
);

export async function up(run: Run): Promise<void> {
  await run(`
    -- What apps buy at their store, and what we deliver for it.
    CREATE TABLE store_products (
      id uuid PRIMARY KEY,
      store text NOT NULL CHECK (store IN ('apple', 'google')),
      product_id text NOT NULL CHECK (length(product_id) BETWEEN 1 AND 255),
      coin_package_id uuid REFERENCES coin_packages,
      vip_plan_id uuid REFERENCES vip_plans,
      prices jsonb NOT NULL DEFAULT '[]',
      retired_at timestamptz,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT store_products_key UNIQUE (store, product_id),
      CONSTRAINT store_products_sell_one_thing CHECK ((coin_package_id IS NULL) <> (vip_plan_id IS NULL))
    );
    CREATE INDEX store_products_package_idx ON store_products (coin_package_id, store);
    CREATE INDEX store_products_plan_idx ON store_products (vip_plan_id, store);

    -- VIP that renews. Notices come in any order: event_at is the time of the latest one that was applied.
    CREATE TABLE subscriptions (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      provider text NOT NULL CHECK (provider IN ('apple', 'google', 'stripe')),
      provider_subscription_id text NOT NULL,
      plan_id uuid NOT NULL REFERENCES vip_plans,
      status text NOT NULL
        CHECK (status IN ('active', 'grace', 'retry', 'paused', 'canceled', 'expired', 'revoked')),
      auto_renew boolean NOT NULL,
      current_period_starts_at timestamptz NOT NULL,
      current_period_ends_at timestamptz NOT NULL,
      grace_until timestamptz,
      pending_plan_id uuid REFERENCES vip_plans,
      price_consent text CHECK (price_consent IN ('pending', 'agreed')),
      event_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT subscriptions_key UNIQUE (provider, provider_subscription_id)
    );
    CREATE INDEX subscriptions_user_idx ON subscriptions (user_id, id DESC);
    CREATE INDEX subscriptions_plan_idx ON subscriptions (plan_id);
    CREATE INDEX subscriptions_pending_plan_idx ON subscriptions (pending_plan_id) WHERE pending_plan_id IS NOT NULL;

    -- What an order at a store, or of a subscription, doesn't say. Without an order, no one has claimed it yet.
    CREATE TABLE store_purchases (
      id uuid PRIMARY KEY,
      provider text NOT NULL CHECK (provider IN ('apple', 'google', 'stripe')),
      environment text NOT NULL CHECK (environment IN ('production', 'sandbox')),
      transaction_id text NOT NULL,
      original_transaction_id text NOT NULL,
      user_id uuid REFERENCES users,
      product_id uuid REFERENCES store_products,
      order_id uuid UNIQUE REFERENCES payment_orders,
      subscription_id uuid REFERENCES subscriptions,
      state text NOT NULL
        CHECK (state IN ('pending', 'paid', 'acknowledged', 'refunded', 'revoked', 'disputed')),
      receipt_sha256 bytea NOT NULL CHECK (length(receipt_sha256) = 32),
      purchased_at timestamptz NOT NULL,
      period_starts_at timestamptz,
      period_ends_at timestamptz,
      acknowledge_due_at timestamptz,
      acknowledged_at timestamptz,
      refunded_at timestamptz,
      reversed_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT store_purchases_key UNIQUE (provider, transaction_id),
      CONSTRAINT store_purchases_period CHECK (period_ends_at > period_starts_at)
    );
    CREATE INDEX store_purchases_user_idx ON store_purchases (user_id, id);
    CREATE INDEX store_purchases_product_idx ON store_purchases (product_id);
    CREATE INDEX store_purchases_original_idx ON store_purchases (provider, original_transaction_id);
    CREATE INDEX store_purchases_subscription_idx ON store_purchases (subscription_id)
      WHERE subscription_id IS NOT NULL;
    CREATE INDEX store_purchases_acknowledge_idx ON store_purchases (acknowledge_due_at)
      WHERE acknowledged_at IS NULL AND acknowledge_due_at IS NOT NULL;

    -- A refund that its provider took back gives back what was taken, but for the share of the payment's other refunds.
    -- Of the debt, what was still owed.
    CREATE TABLE payment_refund_reversals (
      id uuid PRIMARY KEY,
      refund_id uuid NOT NULL UNIQUE REFERENCES payment_refunds,
      credit coins NOT NULL CHECK (credit >= 0),
      debt coins NOT NULL CHECK (debt BETWEEN 0 AND credit),
      created_at timestamptz NOT NULL DEFAULT now(),
      -- How much of the credit was given back to those who got shares of gifts.
      shares bigint NOT NULL DEFAULT 0,
      CONSTRAINT payment_refund_reversals_shares CHECK (shares >= 0 AND debt + shares <= credit)
    );

    -- Refunds that were reversed before they were reported: they take nothing.
    CREATE TABLE reversed_refunds (
      provider text NOT NULL,
      provider_refund_id text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (provider, provider_refund_id)
    );

    -- Up to when the lists of stores were gone through.
    CREATE TABLE store_positions (
      store text PRIMARY KEY CHECK (store IN ('google')),
      voided_until timestamptz NOT NULL
    );

    ALTER TABLE vip_periods ADD COLUMN subscription_id uuid REFERENCES subscriptions;

    -- The page where an order is paid, at a provider that gives each order one of its own.
    ALTER TABLE payment_orders ADD COLUMN checkout_url text;

    -- Stores sell for nothing, too: trials, and codes.
    ALTER TABLE payment_orders DROP CONSTRAINT payment_orders_amount_check,
      ADD CONSTRAINT payment_orders_amount_check CHECK (amount BETWEEN 0 AND 1000000000000) NOT VALID;
    ALTER TABLE payments DROP CONSTRAINT payments_amount_check,
      ADD CONSTRAINT payments_amount_check CHECK (amount >= 0) NOT VALID;
    ALTER TABLE payment_refunds DROP CONSTRAINT payment_refunds_amount_check,
      ADD CONSTRAINT payment_refunds_amount_check CHECK (amount >= 0) NOT VALID;
  `);
}
