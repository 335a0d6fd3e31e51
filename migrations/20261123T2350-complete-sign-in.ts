type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What an app store says of a user's age, in years, and of a guardian's consent. Null: not bounded on this side.
    CREATE TABLE age_signals (
      user_id uuid PRIMARY KEY REFERENCES users (id),
      source text NOT NULL,
      lower smallint CHECK (lower BETWEEN 0 AND 150),
      upper smallint CHECK (upper BETWEEN lower AND 150),
      method text NOT NULL,
      consent text NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now()
    );

    -- When a guest became a user. Null: never a guest, or still one.
    ALTER TABLE users ADD COLUMN guest_ended_at timestamptz;

    -- What the carrier said of the price of the day's last message, in its own words.
    ALTER TABLE text_days
      ADD COLUMN price_class text,
      ADD CONSTRAINT text_days_price_class_check CHECK (price_class ~ '^[A-Za-z0-9_.-]{1,30}$') NOT VALID;

    -- When what the provider last told of the identity happened: older notices, and repeated ones, change nothing.
    ALTER TABLE identities ADD COLUMN last_notice_at timestamptz;

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
