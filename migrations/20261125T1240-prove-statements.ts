type Run = (sql: string) => Promise<void>;

/**
 * A Merkle tree over the chained ledger transactions, so that an entry can be shown to be among them without the
 * others. Its leaves are in blocks of 256, whose roots are the leaves of the tree above.
 */
export async function up(run: Run): Promise<void> {
  await run(`
    -- What is hashed of an entry. Its owner may see all of it.
    CREATE FUNCTION ledger_entry_text(movement ledger_movements, entry ledger_entries) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT jsonb_build_object('id', entry.id, 'transaction_id', movement.id, 'reference_type', movement.reference_type,
        'reference_id', movement.reference_id, 'type', entry.type, 'user_id', entry.user_id, 'house', entry.house,
        'asset', entry.asset, 'amount', entry.amount, 'bought', entry.bought, 'balance_after', entry.balance_after,
        'entry_no', entry.entry_no,
        'created_at', to_char(entry.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text
    $$;

    -- The leaf of a ledger transaction: the root of its entries, which its random salt keeps from being guessed.
    CREATE TABLE ledger_leaves (
      seq bigint PRIMARY KEY,
      movement_id uuid NOT NULL UNIQUE,
      salt bytea NOT NULL CHECK (length(salt) = 16),
      leaf bytea NOT NULL CHECK (length(leaf) = 32)
    );
    CREATE TRIGGER ledger_leaves_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_leaves
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();

    -- The roots of complete blocks, from 1.
    CREATE TABLE ledger_blocks (
      no bigint PRIMARY KEY,
      root bytea NOT NULL CHECK (length(root) = 32)
    );
    CREATE TRIGGER ledger_blocks_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_blocks
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();

    -- The signed roots of the whole tree, after so many leaves.
    CREATE TABLE ledger_tree_heads (
      seq bigint PRIMARY KEY,
      hash text NOT NULL,
      signed_at text NOT NULL,
      signature text NOT NULL,
      public_key text NOT NULL
    );
  `);
}
