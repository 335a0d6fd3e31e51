type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Everybody with whom one has nothing to do. For lists that look at many rows: "NOT IN (SELECT blocked_people(…))" is
    -- answered once and kept, where is_blocked_between is asked for each row (a thousand rows: 0.3 ms against 5 ms).
    CREATE FUNCTION blocked_people(a uuid) RETURNS SETOF uuid LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 AS $$
      SELECT blocked_id FROM user_blocks WHERE blocker_id = a
      UNION ALL SELECT blocker_id FROM user_blocks WHERE blocked_id = a
    $$;
  `);
}
