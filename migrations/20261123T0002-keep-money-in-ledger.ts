type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Coins that the house gives to a user or takes back without a sale: the cause of a ledger transaction, so that the
    -- ledger can be checked against it. "id" is the user's for what a user gets once, such as a signup bonus.
    CREATE TABLE coin_grants (
      kind text NOT NULL,
      id uuid NOT NULL,
      user_id uuid NOT NULL REFERENCES users (id),
      coins coins NOT NULL CHECK (coins <> 0),
      reason text NOT NULL,
      principal_kind text CHECK (principal_kind IN ('user', 'admin', 'key_holder', 'service')),
      principal_id uuid,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (kind, id)
    );
    CREATE INDEX coin_grants_user_idx ON coin_grants (user_id);

    INSERT INTO coin_grants (kind, id, user_id, coins, reason, principal_kind, principal_id, created_at)
    SELECT m.reference_type, m.reference_id, u.id, e.amount, m.description, m.principal_kind, m.principal_id, m.created_at
    FROM ledger_movements m JOIN ledger_entries e ON e.movement_id = m.id JOIN users u ON u.id = e.user_id
    WHERE m.reference_type IN ('signup', 'demo') AND u.id = m.reference_id;

    CREATE TRIGGER coin_grants_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON coin_grants
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
  `);
  // The signature covers the body, but not the header with the event's ID: an ID seen with other bytes must not
  // suppress a signed event. Older events have no hash; their effects are idempotent.
  await run(`
    ALTER TABLE payment_events ADD COLUMN body_sha256 bytea CHECK (length(body_sha256) = 32);
    ALTER TABLE payment_events DROP CONSTRAINT payment_events_once;
    ALTER TABLE payment_events ADD CONSTRAINT payment_events_once UNIQUE (provider, body_sha256);
    CREATE INDEX payment_events_id_idx ON payment_events (provider, event_id);

    -- A user's open orders are counted before each new one.
    CREATE INDEX payment_orders_open_idx ON payment_orders (user_id, expires_at) WHERE status = 'created';

    ALTER TABLE coin_packages
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    ALTER TABLE frames
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    ALTER TABLE vip_plans
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    ALTER TABLE campaigns
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

    -- Coins that an administrator gives to a user or takes back. An approved one has a row in "coin_grants" with its ID.
    CREATE TABLE balance_adjustments (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      amount coins NOT NULL CHECK (amount <> 0),
      reason text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'approved', 'declined', 'expired')),
      requested_by uuid NOT NULL REFERENCES admins (id),
      -- Null while it is pending, if it expired, and if it needed no approval.
      decided_by uuid REFERENCES admins (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      decided_at timestamptz,
      expires_at timestamptz,
      CONSTRAINT balance_adjustments_decided CHECK ((status = 'pending') = (decided_at IS NULL)),
      CONSTRAINT balance_adjustments_pending CHECK (status <> 'pending' OR expires_at IS NOT NULL),
      -- Who asked may not approve.
      CONSTRAINT balance_adjustments_four_eyes CHECK (status <> 'approved' OR decided_by <> requested_by)
    );
    CREATE INDEX balance_adjustments_list_idx ON balance_adjustments (created_at, id);
    CREATE INDEX balance_adjustments_user_idx ON balance_adjustments (user_id, created_at);
    CREATE INDEX balance_adjustments_due_idx ON balance_adjustments (expires_at) WHERE status = 'pending';

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
  // Administrators list the entries of one type, newest first; some types are rare.
  await run("CREATE INDEX ledger_entries_type_idx ON ledger_entries (type, id)");
  await run(`
    -- Adds up what an administrator has moved without an approval.
    CREATE INDEX balance_adjustments_alone_idx ON balance_adjustments (requested_by, created_at)
      WHERE status = 'approved' AND decided_by IS NULL;

    -- Who has ever created an administrator, or set their password or role, and could thus call in their name. Rows
    -- stay: a password that was changed since doesn't show in whose hands the account is.
    CREATE TABLE admin_controls (
      admin_id uuid NOT NULL REFERENCES admins (id),
      controlled_by uuid NOT NULL REFERENCES admins (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (admin_id, controlled_by),
      CHECK (admin_id <> controlled_by)
    );
    INSERT INTO admin_controls (admin_id, controlled_by, created_at)
      SELECT a.id, e.principal_id, min(e.at)
      FROM audit_log e
        JOIN admins a ON a.id::text = e.target_id
        JOIN admins by_admin ON by_admin.id = e.principal_id
      WHERE e.target_type = 'admin' AND e.principal_id <> a.id
        AND (e.action = 'admin.create' OR e.action = 'admin.update' AND e.after ?| ARRAY['password', 'role_id'])
      GROUP BY a.id, e.principal_id;

    -- The coins of a purchase that paid the debt of refunded orders, at most once for each order.
    CREATE TABLE debt_payments (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL UNIQUE REFERENCES payment_orders (id),
      coins coins NOT NULL CHECK (coins > 0),
      created_at timestamptz NOT NULL DEFAULT now()
    );

    -- What an account holds and an entry moves: coins, or money of an ISO 4217 currency, counted in 1/10,000 of its unit.
    CREATE DOMAIN asset AS text CHECK (VALUE = 'coins' OR VALUE ~ '^[A-Z]{3}$');

    ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_user_id_fkey;
    ALTER TABLE wallets ADD COLUMN asset asset NOT NULL DEFAULT 'coins',
      DROP CONSTRAINT wallets_pkey, ADD CONSTRAINT wallets_pkey PRIMARY KEY (user_id, asset);
    ALTER TABLE ledger_entries ADD COLUMN asset asset NOT NULL DEFAULT 'coins',
      ADD CONSTRAINT ledger_entries_wallet_fkey FOREIGN KEY (user_id, asset) REFERENCES wallets (user_id, asset),
      DROP CONSTRAINT ledger_entries_house_check, ADD CONSTRAINT ledger_entries_house_check CHECK (
        CASE asset
          WHEN 'coins' THEN house IN ('issue', 'gift_revenue', 'store_revenue', 'debt')
          ELSE house IN ('payments', 'catalogue_revenue', 'adjustments', 'debt')
        END);
    DROP INDEX ledger_entries_wallet_key;
    CREATE UNIQUE INDEX ledger_entries_wallet_key ON ledger_entries (user_id, asset, entry_no) WHERE user_id IS NOT NULL;

    -- All entries of a movement are written by one statement, which must leave each movement at zero, in one asset.
    CREATE OR REPLACE FUNCTION ledger_entries_balance() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE wrong record;
    BEGIN
      SELECT movement_id, min(asset::text) <> max(asset::text) AS mixed INTO wrong FROM added
      GROUP BY movement_id HAVING sum(amount) <> 0 OR min(asset::text) <> max(asset::text) LIMIT 1;
      IF wrong.mixed THEN
        RAISE EXCEPTION 'entries of movement % are of several assets', wrong.movement_id USING ERRCODE = 'check_violation';
      ELSIF wrong.movement_id IS NOT NULL THEN
        RAISE EXCEPTION 'entries of movement % do not add up to zero', wrong.movement_id USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$;

    -- What a paid order credits: "credit" of "asset", coins or money. "coins" only counts coins.
    ALTER TABLE payment_orders RENAME COLUMN coins TO credit;
    ALTER TABLE payment_orders ADD COLUMN asset asset NOT NULL DEFAULT 'coins',
      DROP CONSTRAINT payment_orders_kind_check,
      ADD CONSTRAINT payment_orders_kind_check CHECK (kind IN ('coins', 'vip', 'deposit')),
      DROP CONSTRAINT payment_orders_buys_one_thing, ADD CONSTRAINT payment_orders_buys_one_thing CHECK (
        CASE kind
          WHEN 'coins' THEN credit > 0 AND asset = 'coins' AND package_id IS NOT NULL AND plan_id IS NULL
            AND duration_days IS NULL
          WHEN 'deposit' THEN credit > 0 AND asset = currency::text AND package_id IS NULL AND plan_id IS NULL
            AND duration_days IS NULL
          ELSE credit = 0 AND package_id IS NULL AND plan_id IS NOT NULL AND duration_days IS NOT NULL
        END);
    ALTER TABLE payment_orders
      ADD COLUMN coins bigint NOT NULL GENERATED ALWAYS AS (CASE WHEN asset = 'coins' THEN credit ELSE 0 END) STORED;

    -- Of the asset of the order.
    ALTER TABLE payment_refunds RENAME COLUMN coins TO credit;
    ALTER TABLE payment_refunds RENAME COLUMN debt_coins TO debt;
    ALTER TABLE debt_payments RENAME COLUMN coins TO credit;

    -- Administrators adjust balances of money, too. The coins of an approved adjustment have a row in "coin_grants".
    ALTER TABLE balance_adjustments ADD COLUMN asset asset NOT NULL DEFAULT 'coins';
    DROP INDEX balance_adjustments_list_idx, balance_adjustments_alone_idx;
    CREATE INDEX balance_adjustments_coins_idx ON balance_adjustments (created_at, id) WHERE asset = 'coins';
    CREATE INDEX balance_adjustments_money_idx ON balance_adjustments (id) WHERE asset <> 'coins';
    CREATE INDEX balance_adjustments_alone_idx ON balance_adjustments (requested_by, asset, created_at)
      WHERE status = 'approved' AND decided_by IS NULL;
    CREATE VIEW coin_adjustments AS
      SELECT id, user_id, amount, reason, status, requested_by, decided_by, created_at, decided_at, expires_at
      FROM balance_adjustments WHERE asset = 'coins';

    -- By which administrators refer to a balance of money. Time-ordered.
    ALTER TABLE wallets ADD COLUMN id uuid NOT NULL DEFAULT uuidv7();
    CREATE UNIQUE INDEX wallets_money_key ON wallets (id) WHERE asset <> 'coins';
    CREATE INDEX wallets_currency_idx ON wallets (asset, id) WHERE asset <> 'coins';
    CREATE VIEW catalogue_balances AS
      SELECT id, user_id, asset AS currency, balance, entry_count, uuid_extract_timestamp(id) AS created_at
      FROM wallets WHERE asset <> 'coins';

    -- What is hashed of a ledger transaction, and exported. The text of a transaction must never change: show a new column
    -- only where it differs from what the rows of before have. Times have microseconds, in UTC.
    CREATE FUNCTION ledger_movement_text(movement ledger_movements) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT jsonb_build_object(
        'id', movement.id, 'reference_type', movement.reference_type, 'reference_id', movement.reference_id,
        'description', movement.description, 'principal_kind', movement.principal_kind,
        'principal_id', movement.principal_id,
        'created_at', to_char(movement.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'entries', (
          SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'user_id', e.user_id, 'house', e.house,
            'amount', e.amount, 'balance_after', e.balance_after, 'entry_no', e.entry_no)
            || CASE e.asset WHEN 'coins' THEN '{}' ELSE jsonb_build_object('currency', e.asset) END ORDER BY e.id), '[]')
          FROM ledger_entries e WHERE e.movement_id = movement.id))::text
    $$;

    -- The ledger transactions in the order in which a job has chained them, so that their writers don't wait for each
    -- other. Without a foreign key, because it says what was there.
    CREATE TABLE ledger_chain (
      seq bigint PRIMARY KEY,
      movement_id uuid NOT NULL UNIQUE,
      hash text NOT NULL
    );
    CREATE TRIGGER ledger_chain_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_chain
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
  `);
}
