type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE user_exports (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'ready', 'failed')),
      -- How often a process began to make it; the pieces of an earlier attempt are none of it.
      attempt smallint NOT NULL DEFAULT 0,
      progress smallint NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
      bytes bigint,
      downloads smallint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now(),
      ready_at timestamptz,
      -- When it is deleted, whatever its state.
      expires_at timestamptz NOT NULL
    );
    -- One for each user at a time: a failed one gives way to the next.
    CREATE UNIQUE INDEX user_exports_user_key ON user_exports (user_id);
    CREATE INDEX user_exports_expiry_idx ON user_exports (expires_at);

    -- The zip in pieces, in the database: every process can make it and hand it out.
    CREATE TABLE user_export_pieces (
      export_id uuid NOT NULL REFERENCES user_exports ON DELETE CASCADE,
      attempt smallint NOT NULL,
      number integer NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (export_id, attempt, number)
    );
    -- The content is compressed already.
    ALTER TABLE user_export_pieces ALTER COLUMN content SET STORAGE EXTERNAL;
  `);
}
