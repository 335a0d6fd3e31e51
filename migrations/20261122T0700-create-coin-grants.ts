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
}
