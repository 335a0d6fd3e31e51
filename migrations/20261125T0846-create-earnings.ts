type Run = (sql: string) => Promise<void>;

const kept = "The previous release writes nothing that it refuses: it moves no coins as bought, and no earnings.";

/** What coins and earnings are told apart by. */
export const compatible = {
  "asset.asset_check": "It allows more than before.",
  "ledger_entries.ledger_entries_house_check": "It allows more than before.",
  "ledger_entries.ledger_entries_bought": kept,
  "wallets.wallets_bought": "The trigger keeps it while the previous release spends bought coins.",
  "wallets.wallets_keep_bought": "It only lowers what the previous release doesn't know.",
  "gift_transactions.gift_transactions_bought": kept,
  "payment_orders.payment_orders_bought": kept,
};

export async function up(run: Run): Promise<void> {
  await run(`
    -- Wallets hold a third kind of asset: earnings, which users get for gifts. They aren't spent, but exchanged.
    ALTER DOMAIN asset DROP CONSTRAINT asset_check;
    ALTER DOMAIN asset ADD CONSTRAINT asset_check CHECK (VALUE IN ('coins', 'earnings') OR VALUE ~ '^[A-Z]{3}$') NOT VALID;
  `);
  await run(`
    -- How many of the coins were bought: only these earn. The others were granted. What was there before counts as granted.
    ALTER TABLE wallets ADD COLUMN bought bigint NOT NULL DEFAULT 0,
      ADD CONSTRAINT wallets_bought CHECK (bought BETWEEN 0 AND balance) NOT VALID;
    -- Each extension has an account of the house, named as its schema. Earnings that are paid out wait in accounts of the house
    -- until the money has left, and is there. What coin sellers pass on is exchanged for coins.
    ALTER TABLE ledger_entries ADD COLUMN bought bigint NOT NULL DEFAULT 0,
      ADD CONSTRAINT ledger_entries_bought CHECK (
        bought BETWEEN least(amount, 0) AND greatest(amount, 0) AND (bought = 0 OR asset = 'coins')) NOT VALID,
      DROP CONSTRAINT ledger_entries_house_check, ADD CONSTRAINT ledger_entries_house_check CHECK (
        CASE asset
          WHEN 'coins' THEN house IN ('issue', 'gift_revenue', 'store_revenue', 'debt', 'exchange') OR house ~ '^ext_[a-z_]{2,30}$'
          WHEN 'earnings' THEN house IN ('issue', 'exchange', 'debt', 'payouts_held', 'payouts_sent', 'paid_out')
          ELSE house IN ('payments', 'catalogue_revenue', 'adjustments', 'debt', 'exchange')
        END) NOT VALID;

    -- The previous release spends granted coins and bought ones alike, and knows only the balance.
    CREATE FUNCTION wallets_keep_bought() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.bought := NEW.balance;
      RETURN NEW;
    END $$;
    CREATE TRIGGER wallets_keep_bought BEFORE UPDATE ON wallets
      FOR EACH ROW WHEN (NEW.bought > NEW.balance) EXECUTE FUNCTION wallets_keep_bought();

    -- All entries of a movement are written by one statement, which must leave each asset of it at zero, and the bought
    -- coins, too.
    CREATE OR REPLACE FUNCTION ledger_entries_balance() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE unbalanced uuid;
    BEGIN
      SELECT movement_id INTO unbalanced FROM added GROUP BY movement_id, asset
      HAVING sum(amount) <> 0 OR sum(bought) <> 0 LIMIT 1;
      IF unbalanced IS NOT NULL THEN
        RAISE EXCEPTION 'entries of movement % do not add up to zero', unbalanced USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$;

    -- What is hashed of a ledger transaction. New fields are only there where they differ from what was before.
    CREATE OR REPLACE FUNCTION ledger_movement_text(movement ledger_movements) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT jsonb_build_object(
        'id', movement.id, 'reference_type', movement.reference_type, 'reference_id', movement.reference_id,
        'description', movement.description, 'principal_kind', movement.principal_kind,
        'principal_id', movement.principal_id,
        'created_at', to_char(movement.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'entries', (
          SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'user_id', e.user_id, 'house', e.house,
            'amount', e.amount, 'balance_after', e.balance_after, 'entry_no', e.entry_no)
            || CASE e.asset WHEN 'coins' THEN '{}' WHEN 'earnings' THEN jsonb_build_object('asset', e.asset)
                 ELSE jsonb_build_object('currency', e.asset) END
            || CASE e.bought WHEN 0 THEN '{}' ELSE jsonb_build_object('bought', e.bought) END ORDER BY e.id), '[]')
          FROM ledger_entries e WHERE e.movement_id = movement.id AND ids_are_near(e.id, movement.id)))::text
    $$;

    CREATE OR REPLACE VIEW catalogue_balances AS
      SELECT id, user_id, asset AS currency, balance, entry_count, time_of_id(id) AS created_at
      FROM wallets WHERE asset <> 'coins' AND asset <> 'earnings';
  `);
  await run(`
    -- Who gets which part of a gift's price, from a time on. A plan that has begun is never edited: another follows.
    CREATE TABLE split_plans (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      shares jsonb NOT NULL,
      gift_ids text[] NOT NULL DEFAULT '{}',
      category_ids text[] NOT NULL DEFAULT '{}',
      countries text[] NOT NULL DEFAULT '{}',
      starts_at timestamptz NOT NULL,
      ends_at timestamptz CHECK (ends_at > starts_at),
      retired_at timestamptz,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    -- Without a plan, the settings held. The bought coins of the price are those that could earn.
    ALTER TABLE gift_transactions ADD COLUMN plan_id uuid REFERENCES split_plans,
      ADD COLUMN bought_coins bigint NOT NULL DEFAULT 0,
      ADD CONSTRAINT gift_transactions_bought CHECK (bought_coins BETWEEN 0 AND total_coins) NOT VALID;

    -- What users got of a gift that was split by a plan. The rest is the house's.
    CREATE TABLE gift_shares (
      gift_transaction_id uuid NOT NULL REFERENCES gift_transactions,
      taker text NOT NULL CHECK (taker IN ('receiver', 'owner', 'agency')),
      asset text NOT NULL CHECK (asset IN ('coins', 'earnings')),
      user_id uuid NOT NULL REFERENCES users,
      amount bigint NOT NULL CHECK (amount > 0),
      -- Of coins: how many of them were bought.
      bought bigint NOT NULL CHECK (bought BETWEEN 0 AND amount AND (bought = 0 OR asset = 'coins')),
      PRIMARY KEY (gift_transaction_id, taker, asset)
    );
    CREATE INDEX gift_shares_user_idx ON gift_shares (user_id, gift_transaction_id);
    CREATE TRIGGER gift_shares_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON gift_shares
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();

    -- How many of the coins that a paid order credited count as bought. Orders paid by earlier releases have none.
    ALTER TABLE payment_orders ADD COLUMN bought bigint NOT NULL DEFAULT 0,
      ADD CONSTRAINT payment_orders_bought CHECK (bought BETWEEN 0 AND credit) NOT VALID;

    CREATE TABLE earnings_exchanges (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      earnings bigint NOT NULL CHECK (earnings > 0),
      coins bigint NOT NULL CHECK (coins > 0),
      -- Coins for 10,000 earnings.
      rate integer NOT NULL CHECK (rate > 0),
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX earnings_exchanges_user_idx ON earnings_exchanges (user_id, created_at);
    CREATE TRIGGER earnings_exchanges_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON earnings_exchanges
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
  `);
}
