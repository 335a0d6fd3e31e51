type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- A block is made by one person and holds both ways.
    CREATE TABLE user_blocks (
      blocker_id uuid NOT NULL REFERENCES users (id),
      blocked_id uuid NOT NULL REFERENCES users (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (blocker_id, blocked_id),
      CONSTRAINT user_blocks_not_oneself CHECK (blocker_id <> blocked_id)
    );
    CREATE INDEX user_blocks_blocked_idx ON user_blocks (blocked_id);

    -- The one question that every list asks: has either of the two blocked the other?
    CREATE FUNCTION is_blocked_between(a uuid, b uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
      SELECT EXISTS (SELECT 1 FROM user_blocks WHERE blocker_id = a AND blocked_id = b)
          OR EXISTS (SELECT 1 FROM user_blocks WHERE blocker_id = b AND blocked_id = a)
    $$;
  `);
}
