type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The time of an ID (UUIDv7), milliseconds. PostgreSQL 17 has uuid_extract_timestamp, but it knows only UUIDv1.
    CREATE FUNCTION time_of_id(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT to_timestamp(('x0000' || translate(left(id::text, 13), '-', ''))::bit(64)::bigint / 1000.0)
    $$;

    CREATE OR REPLACE VIEW catalogue_balances AS
      SELECT id, user_id, asset AS currency, balance, entry_count, time_of_id(id) AS created_at
      FROM wallets WHERE asset <> 'coins' AND asset <> 'earnings';

    CREATE OR REPLACE VIEW table_partitions AS
      SELECT parent.relname::text AS "table", part.relname::text AS name, part.oid::regclass AS id,
        time_of_id(substring(bounds.text FROM $$FROM \\('([^']+)$$)::uuid) AS "from",
        time_of_id(substring(bounds.text FROM $$TO \\('([^']+)$$)::uuid) AS "until"
      FROM pg_partitioned_table divided
      JOIN pg_class parent ON parent.oid = divided.partrelid AND parent.relnamespace = 'public'::regnamespace
      JOIN pg_inherits child ON child.inhparent = parent.oid
      JOIN pg_class part ON part.oid = child.inhrelid,
      LATERAL (SELECT pg_get_expr(part.relpartbound, part.oid) AS text) bounds;
  `);
}
