type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
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
