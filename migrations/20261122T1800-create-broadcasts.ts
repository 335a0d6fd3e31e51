type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Notifications of administrators to many users, which a job sends in batches by user ID.
    CREATE TABLE broadcasts (
      id uuid PRIMARY KEY,
      title text NOT NULL,
      body text NOT NULL,
      audience text NOT NULL CHECK (audience IN ('all', 'vip', 'country', 'user_ids')),
      country char(2),
      user_ids uuid[],
      status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'sending', 'sent', 'stopped')),
      scheduled_at timestamptz NOT NULL,
      created_by uuid NOT NULL REFERENCES admins (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      started_at timestamptz,
      ended_at timestamptz,
      -- The audience when sending began, and those who have been notified.
      recipients int,
      notified int NOT NULL DEFAULT 0,
      -- The last user of the last batch.
      cursor uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
      CONSTRAINT broadcasts_country CHECK ((audience = 'country') = (country IS NOT NULL)),
      CONSTRAINT broadcasts_user_ids CHECK ((audience = 'user_ids') = (user_ids IS NOT NULL)),
      CONSTRAINT broadcasts_started CHECK ((started_at IS NULL) = (recipients IS NULL)),
      CONSTRAINT broadcasts_ended CHECK ((status IN ('sent', 'stopped')) = (ended_at IS NOT NULL))
    );
    CREATE INDEX broadcasts_list_idx ON broadcasts (created_at, id);
    CREATE INDEX broadcasts_due_idx ON broadcasts (scheduled_at) WHERE status IN ('scheduled', 'sending');
    CREATE INDEX users_country_idx ON users (country, id) WHERE country IS NOT NULL;
  `);
}
