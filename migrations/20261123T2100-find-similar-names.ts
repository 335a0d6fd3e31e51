type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
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
  `);
}
