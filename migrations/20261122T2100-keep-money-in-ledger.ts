type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
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
  `);
}
