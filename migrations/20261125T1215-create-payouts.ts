type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- How users can be paid, by country, with the rate, the fees, and the limits.
    CREATE TABLE payout_methods (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      kind text NOT NULL CHECK (kind IN ('upi', 'bank', 'wallet')),
      countries text[] NOT NULL DEFAULT '{}',
      fields text[] NOT NULL CHECK (cardinality(fields) > 0),
      provider text NOT NULL CHECK (provider IN ('sandbox', 'razorpayx', 'bank_file')),
      currency text NOT NULL,
      -- Minor units of the currency for 10,000 earnings.
      rate bigint NOT NULL CHECK (rate > 0),
      fee_fixed bigint NOT NULL DEFAULT 0 CHECK (fee_fixed >= 0),
      fee_basis_points integer NOT NULL DEFAULT 0 CHECK (fee_basis_points BETWEEN 0 AND 10000),
      -- In earnings. A maximum of 0 is none.
      min bigint NOT NULL DEFAULT 1 CHECK (min > 0),
      daily_max bigint NOT NULL DEFAULT 0 CHECK (daily_max >= 0),
      monthly_max bigint NOT NULL DEFAULT 0 CHECK (monthly_max >= 0),
      zone text NOT NULL DEFAULT 'UTC',
      kyc_level smallint NOT NULL DEFAULT 1 CHECK (kyc_level BETWEEN 1 AND 9),
      retired_at timestamptz,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    -- Only offered where the sandbox pays, which moves no money.
    INSERT INTO payout_methods (id, name, kind, fields, provider, currency, rate) VALUES
      ('0198e0d1-2c8e-7b53-9d16-4f0a7e2c8b01', 'Sandbox UPI', 'upi', '{vpa}', 'sandbox', 'INR', 10000),
      ('0198e0d1-2c8e-7b53-9d16-4f0a7e2c8b02', 'Sandbox bank', 'bank', '{holder_name,account_number,ifsc}', 'sandbox', 'INR', 10000),
      ('0198e0d1-2c8e-7b53-9d16-4f0a7e2c8b03', 'Sandbox wallet', 'wallet', '{wallet,account}', 'sandbox', 'INR', 10000);

    -- What an administrator has downloaded for the bank.
    CREATE TABLE payout_batches (
      id uuid PRIMARY KEY,
      currency text NOT NULL,
      payouts integer NOT NULL CHECK (payouts > 0),
      net bigint NOT NULL CHECK (net > 0),
      created_by uuid NOT NULL REFERENCES admins,
      created_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE payouts (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      method_id uuid NOT NULL REFERENCES payout_methods,
      kind text NOT NULL,
      provider text NOT NULL,
      status text NOT NULL DEFAULT 'requested'
        CHECK (status IN ('requested', 'approved', 'sent', 'settled', 'returned', 'declined')),
      -- In earnings; the others in minor units of the currency.
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      rate bigint NOT NULL,
      fee bigint NOT NULL CHECK (fee >= 0),
      net bigint NOT NULL CHECK (net > 0),
      -- Where to: masked, and sealed until it isn't needed any longer.
      shown text NOT NULL,
      details_sealed text,
      -- The provider's IDs of where to, of the payout, and of the transfer at the bank.
      account_ref text,
      provider_id text,
      reference text,
      -- Why it was declined or returned.
      failure text,
      -- What an administrator has to look at. Until then, nothing happens by itself.
      flag text CHECK (flag IN ('amount', 'second', 'rejected_late', 'paid_after_return')),
      batch_id uuid REFERENCES payout_batches,
      first_approved_by uuid REFERENCES admins,
      approved_by uuid REFERENCES admins,
      -- Who has said by hand what became of it.
      resolved_by uuid REFERENCES admins,
      -- When the provider was first asked to pay: from then on, the money may have left.
      attempted_at timestamptz,
      tries integer NOT NULL DEFAULT 0,
      next_try_at timestamptz,
      approved_at timestamptz,
      sent_at timestamptz,
      ended_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (provider, provider_id)
    );
    CREATE INDEX payouts_user_idx ON payouts (user_id, created_at);
    CREATE INDEX payouts_due_idx ON payouts (next_try_at) WHERE next_try_at IS NOT NULL;
    CREATE INDEX payouts_open_idx ON payouts (created_at) WHERE status IN ('requested', 'approved', 'sent');
    CREATE INDEX payouts_flagged_idx ON payouts (id) WHERE flag IS NOT NULL;
    CREATE INDEX payouts_batch_idx ON payouts (batch_id) WHERE batch_id IS NOT NULL;
    CREATE INDEX payouts_method_idx ON payouts (method_id);

    -- The moves of a payout's earnings between the user (null) and the accounts of the house.
    CREATE TABLE payout_steps (
      id uuid PRIMARY KEY,
      payout_id uuid NOT NULL REFERENCES payouts,
      status text NOT NULL CHECK (status IN ('requested', 'sent', 'settled', 'returned', 'declined')),
      from_house text,
      to_house text,
      principal_kind text NOT NULL,
      principal_id uuid,
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK (from_house IS DISTINCT FROM to_house),
      UNIQUE (payout_id, status)
    );
    CREATE TRIGGER payout_steps_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payout_steps
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
  `);
}
