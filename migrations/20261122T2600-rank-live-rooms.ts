type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The rooms with people in them, and how many, as their actors say: what discovery ranks by.
    CREATE TABLE live_rooms (
      room_id uuid PRIMARY KEY REFERENCES rooms (id) ON DELETE CASCADE,
      epoch bigint NOT NULL,
      category text NOT NULL,
      member_count integer NOT NULL CHECK (member_count > 0),
      seated_count integer NOT NULL CHECK (seated_count >= 0),
      process_id text NOT NULL
    );
    CREATE INDEX live_rooms_popular_idx ON live_rooms (member_count DESC, room_id DESC);
    CREATE INDEX live_rooms_category_popular_idx ON live_rooms (category, member_count DESC, room_id DESC);
    CREATE INDEX live_rooms_category_idx ON live_rooms (category, room_id DESC);
    CREATE INDEX live_rooms_process_idx ON live_rooms (process_id);

    DROP INDEX rooms_open_idx, rooms_category_idx;
    CREATE INDEX rooms_listed_idx ON rooms (id DESC) WHERE status = 'open' AND NOT is_private;
    CREATE INDEX rooms_listed_category_idx ON rooms (category, id DESC) WHERE status = 'open' AND NOT is_private;
    CREATE INDEX rooms_private_idx ON rooms (host_id) WHERE status = 'open' AND is_private;
  `);
  await run(`
    DO $$ BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE INDEX rooms_text_idx ON rooms USING gin ((name || E'\\n' || description) gin_trgm_ops)
        WHERE status = 'open';
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN
      RAISE WARNING 'pg_trgm is not available: only the newest 10,000 open rooms are searched by text';
    END $$;

    -- The newest 1,000 open rooms with this pattern in their name or description. It is planned at each call: whether to walk
    -- the newest rooms or to use the index depends on how common the text is. Fewer than three letters have no entry in the
    -- index, so they are looked for in the newest 10,000 rooms.
    CREATE FUNCTION search_rooms(pattern text) RETURNS SETOF uuid LANGUAGE plpgsql STABLE ROWS 1000 AS $$
      DECLARE searched text := 'rooms';
      BEGIN
        IF length(pattern) < 5 OR to_regclass('rooms_text_idx') IS NULL THEN
          searched := '(SELECT * FROM rooms WHERE status = ''open'' AND NOT is_private ORDER BY id DESC LIMIT 10000)';
        END IF;
        RETURN QUERY EXECUTE 'SELECT id FROM ' || searched || ' AS r
          WHERE status = ''open'' AND NOT is_private AND name || E''\\n'' || description ILIKE $1
          ORDER BY id DESC LIMIT 1000' USING pattern;
      END $$;
  `);
}
