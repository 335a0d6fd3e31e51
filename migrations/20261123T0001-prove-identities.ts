type Run = (sql: string) => Promise<void>;

/** What the previous release meets, and why it may. */
export const compatible = {
  "users.users_keep_identities": "adds rows of a table that the previous release doesn't know, and rejects nothing",
};

export async function up(run: Run): Promise<void> {
  await run(`
    -- "suspended_until": when a suspension ends by itself; null if an administrator must end it. An account that was
    -- suspended while it waited for its deletion keeps "deletion_due_at", and returns to that state.
    ALTER TABLE users
      ADD COLUMN suspended_until timestamptz,
      DROP CONSTRAINT users_deletion_due,
      ADD CONSTRAINT users_deletion_due CHECK (deletion_due_at IS NULL OR status IN ('deletion_pending', 'suspended')),
      ADD CONSTRAINT users_suspended_until CHECK (suspended_until IS NULL OR status = 'suspended');
    CREATE INDEX users_suspended_until_idx ON users (suspended_until) WHERE suspended_until IS NOT NULL;

    -- An email address or number belongs to the one account that has verified it. Others may have claimed it.
    ALTER TABLE users DROP CONSTRAINT users_email_key, DROP CONSTRAINT users_mobile_key;
    CREATE UNIQUE INDEX users_email_verified_key ON users (email) WHERE email_verified_at IS NOT NULL;
    CREATE UNIQUE INDEX users_mobile_verified_key ON users (mobile) WHERE mobile_verified_at IS NOT NULL;
    CREATE INDEX users_email_idx ON users (email);
    CREATE INDEX users_mobile_idx ON users (mobile) WHERE mobile IS NOT NULL;

    -- Codes last 10 minutes. One for each account that claims an address; "subject" is a keyed hash of purpose and address.
    DROP TABLE verification_codes;
    CREATE TABLE verification_codes (
      subject bytea NOT NULL,
      user_id uuid NOT NULL REFERENCES users (id),
      code_hash bytea NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (subject, user_id)
    );
    CREATE INDEX verification_codes_user_idx ON verification_codes (user_id);
    CREATE INDEX verification_codes_expiry_idx ON verification_codes (expires_at);

    -- Tries of codes, counted by who tries: keyed hashes of an account, a network, or a pool that several share. Those at
    -- unknown addresses are counted as well, so that they take the same time.
    CREATE TABLE verification_tries (
      subject bytea NOT NULL,
      counter bytea NOT NULL,
      tries integer NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (subject, counter)
    );
    CREATE INDEX verification_tries_expiry_idx ON verification_tries (expires_at);

    -- Addresses that have earned a signup bonus, as keyed hashes without their accounts: they outlive them, so that an
    -- address earns once.
    CREATE TABLE signup_bonus_addresses (
      address bytea PRIMARY KEY,
      created_at timestamptz NOT NULL DEFAULT now()
    );

    -- How many bonuses went to a network on a day; "network" is a keyed hash.
    CREATE TABLE signup_bonus_networks (
      network bytea NOT NULL,
      day date NOT NULL,
      bonuses integer NOT NULL,
      PRIMARY KEY (day, network)
    );

    -- Administrators list users by status, newest first, and count them.
    CREATE INDEX users_status_idx ON users (status, id DESC);
    CREATE INDEX user_devices_user_idx ON user_devices (user_id, id DESC);
    CREATE INDEX rooms_hosted_idx ON rooms (host_id, id DESC);
    DROP INDEX rooms_host_idx;

    -- Keys by which programs act for a user. A revoked key is deleted, and its tokens with it.
    CREATE TABLE api_keys (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      name text NOT NULL,
      public_key text NOT NULL UNIQUE,
      -- SHA-256 of 256 random bits.
      secret_hash bytea NOT NULL,
      -- Empty: any address.
      allowed_addresses inet[] NOT NULL DEFAULT '{}',
      last_used_at timestamptz,
      last_used_ip inet,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX api_keys_user_idx ON api_keys (user_id, id);

    CREATE TABLE api_tokens (
      -- SHA-256 of 256 random bits.
      token_hash bytea PRIMARY KEY,
      key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX api_tokens_key_idx ON api_tokens (key_id, created_at);
    CREATE INDEX api_tokens_expiry_idx ON api_tokens (expires_at);

    -- A process that died is forgotten by each room that had users of it.
    CREATE INDEX online_users_process_idx ON online_users (process_id, user_id);

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

    -- The language that a user has chosen. Null: that of each request.
    ALTER TABLE users ADD COLUMN language text CHECK (language ~ '^[a-z]{2}$');

    -- Lists that leave out what belongs to inactive users look up each owner here: there are few, and most owners are not
    -- among them.
    CREATE INDEX users_inactive_idx ON users (id) WHERE status <> 'active';
  `);
}
