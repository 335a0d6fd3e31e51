type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- "evidence" is what was reported as it read at that moment: its author may change or delete it afterwards.
    CREATE TABLE reports (
      id uuid PRIMARY KEY,
      reporter_id uuid NOT NULL REFERENCES users (id),
      target_type text NOT NULL CHECK (target_type IN ('user', 'room', 'message', 'post', 'comment')),
      target_id uuid NOT NULL,
      -- Whose it is.
      target_user_id uuid NOT NULL REFERENCES users (id),
      reason text NOT NULL,
      details text NOT NULL DEFAULT '',
      evidence jsonb NOT NULL,
      status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved', 'dismissed')),
      created_at timestamptz NOT NULL DEFAULT now(),
      closed_at timestamptz,
      closed_by uuid REFERENCES admins (id),
      note text NOT NULL DEFAULT '',
      CONSTRAINT reports_closed CHECK ((status = 'open') = (closed_at IS NULL))
    );
    CREATE UNIQUE INDEX reports_open_key ON reports (reporter_id, target_type, target_id) WHERE status = 'open';
    CREATE INDEX reports_status_idx ON reports (status, target_type, id DESC);
    CREATE INDEX reports_target_user_idx ON reports (target_user_id);
    CREATE INDEX reports_reporter_idx ON reports (reporter_id);
  `);
}
