type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What names are compared by: without case, accents, width variants, characters of no width, and double blanks. The
    -- collation is named: the answer must not depend on the locale that the database was made with.
    CREATE FUNCTION search_form(typed text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT btrim(regexp_replace(
        casefold(
          regexp_replace(normalize(typed, NFKD), '[\\u0300-\\u036f\\u00ad\\u200b-\\u200f\\u2060\\ufe0f\\ufeff]', '', 'g')
            COLLATE pg_unicode_fast
        ), '\\s+', ' ', 'g'))
    $$;

    -- Prefixes: compared byte by byte, which every PostgreSQL can.
    CREATE INDEX users_username_prefix_idx ON users (username text_pattern_ops);
    CREATE INDEX users_name_prefix_idx ON users (search_form(full_name) text_pattern_ops);
  `);
  // Similar names, where the extension is there and may be made. It is one that owners of a database may make
  // themselves.
  await run(`
    DO $$ BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
        RAISE WARNING 'pg_trgm is not available: people are found by how their names begin, and not by similar names';
        RETURN;
      END IF;
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE INDEX users_username_similar_idx ON users USING gin (username gin_trgm_ops);
      CREATE INDEX users_name_similar_idx ON users USING gin (search_form(full_name) gin_trgm_ops);
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE WARNING 'pg_trgm may not be made here: people are found by how their names begin, and not by similar names';
    END $$;
  `);
}
