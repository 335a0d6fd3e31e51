type Run = (sql: string) => Promise<void>;

/** What refunds take back of gifts. */
export const compatible = {
  "payment_refunds.payment_refunds_shares": "The previous release takes nothing back of gifts: its shares are 0.",
};

export async function up(run: Run): Promise<void> {
  await run(`
    -- How much of the credit was taken back from those who got shares of gifts.
    ALTER TABLE payment_refunds ADD COLUMN shares bigint NOT NULL DEFAULT 0,
      ADD CONSTRAINT payment_refunds_shares CHECK (shares >= 0 AND debt + shares <= credit) NOT VALID;

    -- How the dispute stands that took the money; null for a refund.
    ALTER TABLE payment_refunds ADD COLUMN dispute text;
    ALTER TABLE payment_refunds ADD CONSTRAINT payment_refunds_dispute_check
      CHECK (dispute IN ('open', 'won', 'lost')) NOT VALID;

    -- The gifts that refunded coins were spent on, and how many of their coins these were. Released: as many were paid for
    -- again, because the refund was reversed.
    CREATE TABLE refund_gifts (
      refund_id uuid NOT NULL REFERENCES payment_refunds,
      gift_transaction_id uuid NOT NULL REFERENCES gift_transactions,
      coins bigint NOT NULL CHECK (coins > 0),
      released bigint NOT NULL DEFAULT 0 CHECK (released BETWEEN 0 AND coins),
      PRIMARY KEY (refund_id, gift_transaction_id)
    );
    CREATE INDEX refund_gifts_gift_idx ON refund_gifts (gift_transaction_id);

    -- What a refund took back from a user who got shares of these gifts. Debt: what their balance no longer held.
    -- Returned: what a reversal gave back; and how much of the debt it cancelled by that.
    CREATE TABLE refund_shares (
      refund_id uuid NOT NULL REFERENCES payment_refunds,
      user_id uuid NOT NULL REFERENCES users,
      asset text NOT NULL CHECK (asset IN ('coins', 'earnings')),
      amount bigint NOT NULL CHECK (amount > 0),
      debt bigint NOT NULL CHECK (debt BETWEEN 0 AND amount),
      reversal_id uuid REFERENCES payment_refund_reversals,
      returned bigint NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND amount AND (returned = 0 OR reversal_id IS NOT NULL)),
      cancelled bigint NOT NULL DEFAULT 0 CHECK (cancelled BETWEEN 0 AND least(debt, returned)),
      PRIMARY KEY (refund_id, user_id, asset)
    );
    CREATE INDEX refund_shares_reversal_idx ON refund_shares (reversal_id) WHERE reversal_id IS NOT NULL;
    CREATE INDEX refund_shares_debt_idx ON refund_shares (user_id, asset) WHERE debt > cancelled;
    CREATE INDEX refund_shares_user_idx ON refund_shares (user_id);

    -- What pays such debts: what the user gets later.
    CREATE TABLE share_debt_payments (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      asset text NOT NULL CHECK (asset IN ('coins', 'earnings')),
      amount bigint NOT NULL CHECK (amount > 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      -- The exchange whose coins paid a debt in coins; null: what the user had paid a debt of gifts.
      exchange_id uuid UNIQUE REFERENCES earnings_exchanges,
      CONSTRAINT share_debt_payments_exchange CHECK (exchange_id IS NULL OR asset = 'coins')
    );
    CREATE INDEX share_debt_payments_user_idx ON share_debt_payments (user_id, asset);
    CREATE TRIGGER share_debt_payments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON share_debt_payments
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
  `);
}
