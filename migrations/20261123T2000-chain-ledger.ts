type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
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
