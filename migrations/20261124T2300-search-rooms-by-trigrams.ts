type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The trigrams of a room's text as an array, whose index is exact. With that of gin_trgm_ops, each room that it finds is
    -- compared once more, which takes most of the time of a search that finds many. The cost keeps the planner from
    -- computing them for one room after the other.
    DO $$ BEGIN
      IF to_regclass('rooms_text_idx') IS NULL THEN RETURN; END IF;
      CREATE FUNCTION room_trigrams(name text, description text) RETURNS text[]
        LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 SET search_path FROM CURRENT AS
        'BEGIN RETURN show_trgm(name || E''\\n'' || description); END';
      CREATE INDEX rooms_trigrams_idx ON rooms USING gin (room_trigrams(name, description))
        WHERE status = 'open' AND NOT is_private;
      DROP INDEX rooms_text_idx;
      ANALYZE rooms;
    END $$;
  `);
  await run(`
    -- The newest 500 open rooms with this pattern, '%…%', in their name or description. The index finds those with all
    -- trigrams of the text, except the ones of where it begins and ends, which may be amid a word; of these, the newest are compared
    -- until there are enough. Texts without such trigrams are looked for in the newest 10,000 rooms.
    CREATE OR REPLACE FUNCTION search_rooms(pattern text) RETURNS SETOF uuid LANGUAGE plpgsql STABLE ROWS 500 AS $$
      DECLARE
        sought text := regexp_replace(substr(pattern, 2, length(pattern) - 2), '\\\\(.)', '\\1', 'g');
        trigrams text[] := '{}';
        searched text := 'status = ''open'' AND NOT is_private ORDER BY id DESC LIMIT 10000';
      BEGIN
        IF to_regclass('rooms_trigrams_idx') IS NOT NULL THEN
          trigrams := ARRAY(SELECT unnest(show_trgm(sought))
            EXCEPT SELECT unnest(show_trgm(left(sought, 2) || 'zz') || show_trgm('zz' || right(sought, 2))));
        END IF;
        IF trigrams <> '{}' THEN
          searched := 'room_trigrams(name, description) @> $2 AND status = ''open'' AND NOT is_private ORDER BY id DESC OFFSET 0';
        END IF;
        RETURN QUERY EXECUTE 'SELECT id FROM (SELECT id, name, description FROM rooms WHERE ' || searched || ') AS r
          WHERE name || E''\\n'' || description ILIKE $1 LIMIT 500' USING pattern, trigrams;
      END $$;
  `);
}
