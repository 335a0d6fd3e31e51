type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Which versions of the terms people have accepted, and when.
    CREATE TABLE terms_acceptances (
      user_id uuid NOT NULL REFERENCES users,
      version text NOT NULL,
      accepted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (user_id, version)
    );
    CREATE INDEX terms_acceptances_time_idx ON terms_acceptances (accepted_at);
  `);
}
