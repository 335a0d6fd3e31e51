type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The time of an ID (UUIDv7), milliseconds. PostgreSQL 17 has uuid_extract_timestamp, but it knows only UUIDv1.
    CREATE FUNCTION time_of_id(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT to_timestamp(('x0000' || translate(left(id::text, 13), '-', ''))::bit(64)::bigint / 1000.0)
    $$;

    -- The value before all IDs (UUIDv7) of this time and later.
    CREATE FUNCTION first_id_at(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000' || repeat('0', 12))::uuid
    $$;

    -- Whether the IDs are of about the same time, as those of a ledger transaction and of its entries are: it rules out
    -- partitions. Neither STRICT nor IMMUTABLE, so that it is inlined.
    CREATE FUNCTION ids_are_near(entry uuid, movement uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
      SELECT entry >= first_id_at(time_of_id(movement) - interval '1 day')
        AND entry < first_id_at(time_of_id(movement) + interval '1 day')
    $$;
  `);
}
