type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Whether the IDs are of about the same time, as those of a ledger transaction and of its entries are: it rules out
    -- partitions. Neither STRICT nor IMMUTABLE, so that it is inlined.
    CREATE FUNCTION ids_are_near(entry uuid, movement uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
      SELECT entry >= first_id_at(time_of_id(movement) - interval '1 day')
        AND entry < first_id_at(time_of_id(movement) + interval '1 day')
    $$;

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
  `);
}
