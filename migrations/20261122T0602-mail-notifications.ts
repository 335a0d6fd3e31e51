type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The last notification of each type that was emailed to a user: the next one of the type waits a day.
    CREATE TABLE notification_mails (
      user_id uuid NOT NULL REFERENCES users (id),
      type text NOT NULL,
      about uuid NOT NULL,
      mailed_at timestamptz NOT NULL,
      PRIMARY KEY (user_id, type)
    );

    -- The setting had no effect so far, and was on for every user: none of them has asked for these emails.
    UPDATE users SET settings = jsonb_set(settings, '{notifications,email}', 'false')
    WHERE settings #> '{notifications,email}' = 'true';
  `);
}
