type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
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
  `);
}
