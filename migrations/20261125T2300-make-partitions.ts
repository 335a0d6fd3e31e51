type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The tables of public that are divided by month, and their partitions, in order: those with IDs of "from" until before
    -- "until". The one without "until" holds what comes after the others.
    CREATE VIEW table_partitions AS
      SELECT parent.relname::text AS "table", part.relname::text AS name, part.oid::regclass AS id,
        time_of_id(substring(bounds.text FROM $$FROM \\('([^']+)$$)::uuid) AS "from",
        time_of_id(substring(bounds.text FROM $$TO \\('([^']+)$$)::uuid) AS "until"
      FROM pg_partitioned_table divided
      JOIN pg_class parent ON parent.oid = divided.partrelid AND parent.relnamespace = 'public'::regnamespace
      JOIN pg_inherits child ON child.inhparent = parent.oid
      JOIN pg_class part ON part.oid = child.inhrelid,
      LATERAL (SELECT pg_get_expr(part.relpartbound, part.oid) AS text) bounds;

    -- Gives a partition what it can't inherit, as another one has it: unique indexes without the ID, and triggers of
    -- statements that name the partition itself.
    CREATE FUNCTION dress_partition(part regclass, model regclass, parent regclass) RETURNS void LANGUAGE plpgsql
    SET search_path = public, pg_temp AS $$
    DECLARE
      statement text;
    BEGIN
      FOR statement IN
        SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.*? USING', format('CREATE UNIQUE INDEX ON %s USING', part))
        FROM pg_index WHERE indrelid = model AND indisunique AND NOT indisprimary
          AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid)
        UNION ALL
        SELECT replace(pg_get_triggerdef(oid), format(' ON public.%s ', parent), format(' ON %s ', part))
        FROM pg_trigger WHERE tgrelid = parent AND NOT tgisinternal AND tgtype & 1 = 0
      LOOP
        EXECUTE statement;
      END LOOP;
    END $$;

    -- Makes the partitions of a table until so many months after this one. Returns how many were missing; none are made
    -- while a migration or a backup runs, which holds the lock. It acts for the owner of the tables, so that the role of the
    -- processes needn't change the schema.
    CREATE FUNCTION make_partitions(of text, ahead integer, lock bigint) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp SET lock_timeout = '500ms' SET timezone = 'UTC' AS $$
    DECLARE
      rest record;
      month text;
      beginning timestamptz;
      ending timestamptz;
      made integer := 0;
      goal timestamptz := date_trunc('month', now()) + make_interval(months => least(ahead, 24) + 1);
      is_used boolean;
    BEGIN
      SELECT * INTO rest FROM table_partitions WHERE "table" = of AND "until" IS NULL AND "from" < goal;
      IF NOT FOUND OR NOT pg_try_advisory_xact_lock(lock) THEN RETURN 0; END IF;
      EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', of, rest.name);
      EXECUTE format('SELECT EXISTS (SELECT FROM %I)', rest.name) INTO is_used;
      beginning := rest."from";
      WHILE beginning < goal LOOP
        ending := beginning + interval '1 month';
        month := of || to_char(beginning, '_YYYY_MM');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', month, of);
        -- What came before its partition was made.
        IF is_used THEN
          EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', rest.name);
          EXECUTE format('WITH moved AS (DELETE FROM %I WHERE id < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
            rest.name, first_id_at(ending), month);
          EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', rest.name);
        END IF;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
          of, month, first_id_at(beginning), first_id_at(ending));
        PERFORM dress_partition(month::regclass, rest.id, of::regclass);
        beginning := ending;
        made := made + 1;
      END LOOP;
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (MAXVALUE)',
        of, rest.name, first_id_at(beginning));
      RETURN made;
    END $$;

    -- Drops a partition whose rows are all older than so many whole months. Returns whether it did: not while a migration
    -- or a backup runs, which holds the lock, and none of a table that must keep its rows. It acts for the owner of the
    -- tables.
    CREATE FUNCTION drop_partition(part text, months integer, lock bigint) RETURNS boolean LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' SET timezone = 'UTC' AS $$
    BEGIN
      PERFORM FROM table_partitions WHERE name = part AND "table" IN ('room_messages', 'direct_messages')
        AND "until" <= date_trunc('month', now()) - make_interval(months => greatest(months, 1));
      IF NOT FOUND OR NOT pg_try_advisory_xact_lock(lock) THEN RETURN false; END IF;
      EXECUTE format('DROP TABLE %I', part);
      RETURN true;
    END $$;

    -- Up to which ID messages that expire were taken out of the counts of their conversations.
    CREATE TABLE direct_message_expiry (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      counted_until uuid NOT NULL
    );

    -- Nothing else counts what a divided table holds as a whole, which plans go by.
    CREATE FUNCTION analyze_divided(of text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp AS $$
    BEGIN
      IF EXISTS (SELECT FROM table_partitions WHERE "table" = of) THEN EXECUTE format('ANALYZE %I', of); END IF;
    END $$;
  `);
}
