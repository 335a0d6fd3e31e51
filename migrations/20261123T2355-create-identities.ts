type Run = (sql: string) => Promise<void>;

/** What the previous release meets, and why it may. */
export const compatible = {
  "users.users_keep_identities": "adds rows of a table that the previous release doesn't know, and rejects nothing",
};

export async function up(run: Run): Promise<void> {
  await run(`
    -- The ways in of each account. "subject" identifies the person at the provider: an OpenID provider's "sub", a verified
    -- number, the hash of a guest's secret; of a password, the account itself. "email" is what the provider said.
    -- "secret" is sealed.
    CREATE TABLE identities (
      provider text NOT NULL,
      subject text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
      user_id uuid NOT NULL REFERENCES users (id),
      email text,
      email_verified boolean NOT NULL DEFAULT false,
      secret text,
      linked_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz,
      PRIMARY KEY (provider, subject)
    );
    CREATE UNIQUE INDEX identities_user_key ON identities (user_id, provider);

    -- An account may have another way in than a password, and no email address. A made name may be changed once.
    ALTER TABLE users
      ALTER COLUMN password_hash DROP NOT NULL,
      DROP CONSTRAINT users_email_until_deleted,
      ADD COLUMN username_made boolean NOT NULL DEFAULT false,
      ADD COLUMN is_guest boolean NOT NULL DEFAULT false;
    CREATE INDEX users_guests_idx ON users (created_at) WHERE is_guest;

    -- How a session was opened: the provider of its identity. Null: by a password, before this was recorded.
    ALTER TABLE sessions ADD COLUMN way text;

    -- Nonces of ID tokens that have logged in, until the tokens expire.
    CREATE TABLE used_nonces (
      nonce bytea PRIMARY KEY,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX used_nonces_expiry_idx ON used_nonces (expires_at);

    -- Codes that log in by a number. "subject" is a keyed hash of the number.
    CREATE TABLE login_codes (
      subject bytea PRIMARY KEY,
      code_hash bytea NOT NULL,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX login_codes_expiry_idx ON login_codes (expires_at);

    -- Text messages with login codes, by day and country of the number: how many were sent, and how many codes were used.
    CREATE TABLE text_days (
      day date NOT NULL,
      country char(2) NOT NULL,
      sent integer NOT NULL,
      used integer NOT NULL DEFAULT 0,
      PRIMARY KEY (day, country)
    );

    -- A password and a verified number are ways in like the others, whichever statement writes them: also those of the
    -- previous release, which runs beside this one during an upgrade.
    CREATE FUNCTION keep_identities() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.status <> 'deleted' AND coalesce(NEW.password_hash, '') <> '' THEN
        INSERT INTO identities (provider, subject, user_id) VALUES ('password', NEW.id::text, NEW.id) ON CONFLICT DO NOTHING;
      ELSE
        DELETE FROM identities WHERE provider = 'password' AND user_id = NEW.id;
      END IF;
      DELETE FROM identities
        WHERE provider = 'phone' AND user_id = NEW.id
          AND (NEW.mobile_verified_at IS NULL OR NEW.mobile IS NULL OR subject <> NEW.mobile);
      IF NEW.mobile_verified_at IS NOT NULL AND NEW.mobile IS NOT NULL THEN
        INSERT INTO identities (provider, subject, user_id) VALUES ('phone', NEW.mobile, NEW.id)
          ON CONFLICT (provider, subject) DO NOTHING;
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER users_keep_identities AFTER INSERT OR UPDATE OF password_hash, mobile, mobile_verified_at, status
      ON users FOR EACH ROW EXECUTE FUNCTION keep_identities();

    INSERT INTO identities (provider, subject, user_id, linked_at)
      SELECT 'password', id::text, id, created_at FROM users WHERE status <> 'deleted'
      UNION ALL
      SELECT 'phone', mobile, id, mobile_verified_at FROM users WHERE mobile_verified_at IS NOT NULL AND status <> 'deleted';
  `);
}
