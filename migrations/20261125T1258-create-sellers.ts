type Run = (sql: string) => Promise<void>;

export const compatible = {
  "payment_orders.payment_orders_buys_one_thing": "It allows more than before.",
};

export async function up(run: Run): Promise<void> {
  await run(`
    -- The stock of coin sellers is a balance of XCS, one for a coin. What they pass on is exchanged for coins.
    ALTER TABLE payment_orders DROP CONSTRAINT payment_orders_buys_one_thing, ADD CONSTRAINT payment_orders_buys_one_thing CHECK (
      CASE kind
        WHEN 'coins' THEN credit > 0 AND asset = 'coins' AND package_id IS NOT NULL AND plan_id IS NULL AND duration_days IS NULL
        WHEN 'deposit' THEN credit > 0 AND asset IN (currency, 'XCS') AND package_id IS NULL AND plan_id IS NULL AND duration_days IS NULL
        ELSE credit = 0 AND package_id IS NULL AND plan_id IS NOT NULL AND duration_days IS NOT NULL
      END) NOT VALID;
  `);
  await run(`
    CREATE TABLE sellers (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL UNIQUE REFERENCES users,
      -- For administrators.
      name text NOT NULL DEFAULT '',
      is_active boolean NOT NULL DEFAULT true,
      -- In coins, within 24 hours. 0 for one recipient: no limit of its own.
      daily_limit bigint NOT NULL CHECK (daily_limit > 0),
      recipient_daily_limit bigint NOT NULL DEFAULT 0 CHECK (recipient_daily_limit >= 0),
      -- Of the price of coin packages.
      discount_basis_points integer NOT NULL DEFAULT 0 CHECK (discount_basis_points BETWEEN 0 AND 9000),
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE seller_transfers (
      id uuid PRIMARY KEY,
      seller_id uuid NOT NULL REFERENCES users,
      recipient_id uuid NOT NULL REFERENCES users,
      coins bigint NOT NULL CHECK (coins > 0),
      -- How many of them count as bought.
      bought bigint NOT NULL CHECK (bought BETWEEN 0 AND coins),
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK (seller_id <> recipient_id)
    );
    CREATE INDEX seller_transfers_seller_idx ON seller_transfers (seller_id, created_at);
    CREATE INDEX seller_transfers_recipient_idx ON seller_transfers (recipient_id, created_at);
    CREATE TRIGGER seller_transfers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON seller_transfers
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();

    -- Transfers that an administrator has taken back. A reversed refund gives coins of one back to the recipient, and these
    -- can be taken back, too: each reversal leaves less than the one before. Debt: what the recipient no longer had.
    CREATE TABLE seller_reversals (
      id uuid PRIMARY KEY,
      transfer_id uuid NOT NULL REFERENCES seller_transfers,
      recipient_id uuid NOT NULL REFERENCES users,
      debt bigint NOT NULL CHECK (debt >= 0),
      reason text NOT NULL,
      reversed_by uuid NOT NULL REFERENCES admins,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- How many coins of the transfer refunds had taken before, so that it gave back the others.
      followed bigint NOT NULL DEFAULT 0 CHECK (followed >= 0),
      -- Of the seller's debt, in stock, that the reversal paid.
      paid bigint NOT NULL DEFAULT 0 CHECK (paid >= 0),
      CONSTRAINT seller_reversals_once UNIQUE (transfer_id, followed)
    );
    CREATE INDEX seller_reversals_debt_idx ON seller_reversals (recipient_id) WHERE debt > 0;
    CREATE INDEX seller_reversals_paid_idx ON seller_reversals (transfer_id) WHERE paid > 0;
    CREATE TRIGGER seller_reversals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON seller_reversals
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();

    -- The transfers that refunded stock was spent on, and how many of their coins that was. Taken: from the recipient, and
    -- from those who got them by gifts; the others are the seller's debt. Released: as many were paid for again, because
    -- the refund was reversed.
    CREATE TABLE refund_transfers (
      refund_id uuid NOT NULL REFERENCES payment_refunds,
      transfer_id uuid NOT NULL REFERENCES seller_transfers,
      coins bigint NOT NULL CHECK (coins > 0),
      taken bigint NOT NULL CHECK (taken BETWEEN 0 AND coins),
      released bigint NOT NULL DEFAULT 0 CHECK (released BETWEEN 0 AND coins),
      PRIMARY KEY (refund_id, transfer_id)
    );
    CREATE INDEX refund_transfers_transfer_idx ON refund_transfers (transfer_id);
  `);
}
