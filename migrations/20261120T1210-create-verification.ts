type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- One row per address that a code was sent to or tried for, by a keyed hash of the purpose and the address. Attempts for
    -- unknown addresses are counted as well, so that they take the same time and return the same result.
    CREATE TABLE verification_codes (
      subject bytea PRIMARY KEY,
      user_id uuid REFERENCES users (id),
      code_hash bytea,
      tries integer NOT NULL DEFAULT 0,
      expires_at timestamptz NOT NULL,
      CONSTRAINT verification_codes_somebodys CHECK ((user_id IS NULL) = (code_hash IS NULL))
    );
    CREATE INDEX verification_codes_user_idx ON verification_codes (user_id) WHERE user_id IS NOT NULL;
    CREATE INDEX verification_codes_expiry_idx ON verification_codes (expires_at);

    CREATE TABLE password_resets (
      token_hash bytea PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX password_resets_user_idx ON password_resets (user_id);
    CREATE INDEX password_resets_expiry_idx ON password_resets (expires_at);

    -- Messages that were not sent, kept for developers. Empty in production. Not the outbox of domain events.
    CREATE TABLE mail_outbox (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      channel text NOT NULL CHECK (channel IN ('mail', 'sms')),
      recipient text NOT NULL,
      subject text,
      text_body text NOT NULL,
      html_body text,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX mail_outbox_user_idx ON mail_outbox (user_id);
    CREATE INDEX mail_outbox_age_idx ON mail_outbox (created_at);
  `);
}
