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

    -- Users with a username, and users with a name, that is similar to a text in search form: at most so many of each, those
    -- that are found first. Always by the index: with a limit in sight, the planner would read the table until it has found enough,
    -- which is all of it for a rare name. A text without trigrams is similar to nothing, but finding that out would read the
    -- whole index.
    CREATE FUNCTION users_with_similar_names(text_form text, most integer) RETURNS SETOF uuid
      LANGUAGE plpgsql STABLE ROWS 200 SET enable_seqscan = off AS $$
      BEGIN
        IF show_trgm(text_form) = '{}' THEN RETURN; END IF;
        RETURN QUERY SELECT u.id FROM users u WHERE u.username % text_form LIMIT most;
        RETURN QUERY SELECT u.id FROM users u WHERE text_form <% search_form(u.full_name) LIMIT most;
      END $$;

    -- The rooms to restore after a crash, whatever the number of all rooms.
    CREATE INDEX room_states_seated_idx ON room_states (room_id)
      WHERE jsonb_path_exists(live, '$.seats[*].userId ? (@ != null)');

    -- Makes the epoch part of a key, so that raising it waits for those who hold the row FOR KEY SHARE, and they for it. Other
    -- updates of the row don't.
    CREATE UNIQUE INDEX room_states_epoch_key ON room_states (room_id, epoch);

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

    -- The newest 500 open rooms with this pattern, '%…%', in their name or description. A text that many of the newest rooms
    -- contain is looked for in these: the index would find too many. Otherwise, the index finds the rooms with every third
    -- trigram of a longer text, from its end: they overlap, and each one more that many rooms have takes as long as the others.
    -- Those that change when letters come before and after the text are left out. Of what is found, the newest are
    -- compared until there are enough. Texts without such trigrams are looked for in the newest 10,000 rooms.
    CREATE OR REPLACE FUNCTION search_rooms(pattern text) RETURNS SETOF uuid LANGUAGE plpgsql STABLE ROWS 500 AS $$
      DECLARE
        most CONSTANT integer := 500;
        listed CONSTANT text := 'status = ''open'' AND NOT is_private ORDER BY id DESC ';
        sought text := regexp_replace(substr(pattern, 2, length(pattern) - 2), '\\\\(.)', '\\1', 'g');
        trigrams text[] := '{}';
        searched text[];
        found uuid[];
      BEGIN
        IF to_regclass('rooms_trigrams_idx') IS NOT NULL THEN
          trigrams := ARRAY(SELECT unnest(show_trgm(sought)) INTERSECT SELECT unnest(show_trgm('y' || sought || 'y'))
            INTERSECT SELECT unnest(show_trgm('z' || sought || 'z')));
          trigrams := ARRAY(SELECT sorted.trigram FROM (
              SELECT t AS trigram, row_number() OVER (ORDER BY strpos(lower(sought), btrim(t)) DESC, t DESC) AS place FROM unnest(trigrams) AS t
            ) AS sorted WHERE sorted.place % 3 = 1 OR cardinality(trigrams) <= 5);
        END IF;
        searched := CASE trigrams WHEN '{}' THEN ARRAY[listed || 'LIMIT 10000']
          ELSE ARRAY[listed || 'LIMIT 1000', listed || 'LIMIT 25000', 'room_trigrams(name, description) @> $2 AND ' || listed || 'OFFSET 0'] END;
        FOR step IN 1 .. cardinality(searched) LOOP
          -- The newest 25,000 don't have enough if the newest 1,000 have fewer than one in 50.
          CONTINUE WHEN step = 2 AND cardinality(found) < most / 25;
          EXECUTE 'SELECT ARRAY(SELECT id FROM (SELECT id, name, description FROM rooms WHERE ' || searched[step] || ') AS r
            WHERE name || E''\\n'' || description ILIKE $1 LIMIT $3)' INTO found USING pattern, trigrams, most;
          EXIT WHEN cardinality(found) = most;
        END LOOP;
        RETURN QUERY SELECT unnest(found);
      END $$;
  `);
}
