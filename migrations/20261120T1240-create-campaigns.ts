type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE campaigns (
      id uuid PRIMARY KEY,
      title text NOT NULL,
      description text NOT NULL DEFAULT '',
      image_url text,
      link text,
      starts_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT campaigns_end_after_start CHECK (ends_at > starts_at)
    );
    CREATE INDEX campaigns_end_idx ON campaigns (ends_at, id);
  `);
}
