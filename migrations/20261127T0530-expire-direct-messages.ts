type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Up to which ID messages that expire were taken out of the counts of their conversations.
    CREATE TABLE direct_message_expiry (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      counted_until uuid NOT NULL
    );

    -- Drops a partition whose rows are all older than so many whole months. Returns whether it did: not while a migration
    -- or a backup runs, which holds the lock, and none of a table that must keep its rows. It acts for the owner of the
    -- tables.
    CREATE OR REPLACE FUNCTION drop_partition(part text, months integer, lock bigint) RETURNS boolean LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' SET timezone = 'UTC' AS $$
    BEGIN
      PERFORM FROM table_partitions WHERE name = part AND "table" IN ('room_messages', 'direct_messages')
        AND "until" <= date_trunc('month', now()) - make_interval(months => greatest(months, 1));
      IF NOT FOUND OR NOT pg_try_advisory_xact_lock(lock) THEN RETURN false; END IF;
      EXECUTE format('DROP TABLE %I', part);
      RETURN true;
    END $$;
  `);
}
