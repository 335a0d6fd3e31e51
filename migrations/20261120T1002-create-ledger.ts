type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Coins fit a JavaScript number exactly (2^53 is about 9.007e15).
    CREATE DOMAIN coins AS bigint CHECK (VALUE BETWEEN -9000000000000000 AND 9000000000000000);

    CREATE TABLE wallets (
      user_id uuid PRIMARY KEY REFERENCES users (id),
      balance coins NOT NULL DEFAULT 0 CONSTRAINT wallets_balance_not_negative CHECK (balance >= 0),
      entry_count bigint NOT NULL DEFAULT 0
    );

    CREATE TABLE ledger_movements (
      id uuid PRIMARY KEY,
      reference_type text NOT NULL,
      reference_id uuid NOT NULL,
      description text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT ledger_movements_once UNIQUE (reference_type, reference_id)
    );

    CREATE TABLE ledger_entries (
      id uuid PRIMARY KEY,
      movement_id uuid NOT NULL REFERENCES ledger_movements (id),
      type text NOT NULL,
      user_id uuid REFERENCES wallets (user_id),
      house text CHECK (house IN ('issue', 'gift_revenue', 'store_revenue', 'debt')),
      amount coins NOT NULL CHECK (amount <> 0),
      balance_after coins CHECK (balance_after >= 0),
      -- Numbers the entries of a wallet from 1 in the order in which they changed it; ids cannot: clocks differ.
      entry_no bigint CHECK (entry_no >= 1),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT ledger_entries_one_account CHECK ((user_id IS NULL) <> (house IS NULL)),
      CONSTRAINT ledger_entries_wallet_balance CHECK ((user_id IS NULL) = (balance_after IS NULL)),
      CONSTRAINT ledger_entries_wallet_order CHECK ((user_id IS NULL) = (entry_no IS NULL))
    );
    CREATE UNIQUE INDEX ledger_entries_wallet_key ON ledger_entries (user_id, entry_no) WHERE user_id IS NOT NULL;
    CREATE INDEX ledger_entries_movement_idx ON ledger_entries (movement_id);

    -- All entries of a movement are written by one statement, and that statement must leave each movement at zero.
    CREATE FUNCTION ledger_entries_balance() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE unbalanced uuid;
    BEGIN
      SELECT movement_id INTO unbalanced FROM added GROUP BY movement_id HAVING sum(amount) <> 0 LIMIT 1;
      IF unbalanced IS NOT NULL THEN
        RAISE EXCEPTION 'entries of movement % do not add up to zero', unbalanced USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries
      REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_balance();

    CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END $$;
    CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
      FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();
    CREATE TRIGGER ledger_movements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_movements
      FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();
  `);
}
